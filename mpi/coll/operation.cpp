// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#include "mpi/coll/operation.hpp"

#include "mpi/coll/active.hpp"
#include "mpi/coll/coll.hpp"
#include "mpi/comm.hpp"

namespace hawser::mpi::coll {

namespace {

constexpr char kWrongByte = 0;  // stands for "failed" where an empty message is expected

}  // namespace

Operation::Operation() noexcept : Activity(Kind::kOther, &release_operation) {}

Operation& Operation::take(Comm& comm, const Op* op) {
  Operation& it = active().take();
  it.comm_ = &comm;
  it.op_ = op;
  it.tag_ = next_tag(comm);
  it.at_ = 0;
  it.first_pending_ = 0;
  it.status_ = {};
  it.user = nullptr;
  it.set_claims(1);
  it.set_undone();
  return it;
}

void Operation::give_back() noexcept {
  schedule.clear();
  transfers_.clear();
  active().give(*this);
}

bool Operation::advance() noexcept {
  const std::vector<Step>& steps = schedule.steps();
  for (; at_ < steps.size(); ++at_) {
    const Step& step = steps[at_];
    if (step.kind == Step::Kind::kFence && !transfers_done()) return false;
    start(step);
  }
  return transfers_done();
}

void Operation::start(const Step& step) {
  switch (step.kind) {
    case Step::Kind::kSend:
      return send(step);
    case Step::Kind::kReceive:
      transfers_.push_back(
          {library().pml->irecv(*comm_->coll, step.to, step.peer, tag_), step.to.size, true});
      return;
    case Step::Kind::kCopy:
    case Step::Kind::kReduce:
      if (status_.error == Errc::kOk) do_local(step, op_);
      return;
    case Step::Kind::kFence:
      return;
  }
}

void Operation::send(const Step& step) {
  Buffer data = step.from;
  if (HAWSER_UNLIKELY(status_.error != Errc::kOk)) {
    data = data.size == 0 ? Buffer{const_cast<char*>(&kWrongByte), 1, nullptr} : Buffer{};
  }
  const Transfer sent{library().pml->isend(*comm_->coll, data, step.peer, tag_), 0, false};
  if (HAWSER_LIKELY(sent.request->done())) return end_transfer(sent);
  transfers_.push_back(sent);
}

bool Operation::transfers_done() noexcept {
  for (; first_pending_ < transfers_.size(); ++first_pending_) {
    if (!transfers_[first_pending_].request->done()) return false;
    end_transfer(transfers_[first_pending_]);
  }
  transfers_.clear();
  first_pending_ = 0;
  return true;
}

void Operation::end_transfer(const Transfer& transfer) noexcept {
  const pml::Status& status = transfer.request->status();
  const bool short_of = status.error == Errc::kOk && transfer.receive && status.size != transfer.size;
  if (HAWSER_UNLIKELY(short_of || status.error == Errc::kTruncated)) {
    note(Errc::kTruncated, kWhyWrongSize);
  } else if (HAWSER_UNLIKELY(status.error != Errc::kOk)) {
    note(status.error, status.why);
  }
  transfer.request->release();
}

void Operation::note(Errc error, const char* why) noexcept {
  if (status_.error != Errc::kOk) return;
  status_.error = error;
  status_.why = why;
}

Outcome Operation::run_to_end() noexcept {
  // What is waited for starts nothing: whoever waits may be about to sleep when it looks.
  while (!advance()) library().pml->wait_until([this] { return transfers_done(); });
  const Outcome outcome{status_.error, status_.why};
  give_back();
  return outcome;
}

void Operation::run_by_progress() noexcept {
  set_claims(2);
  user = comm_;
  comm_->retain();
  retain_all();
  if (advance()) return finish();
  active().add(*this);
}

Operation::Progress Operation::poll() noexcept {
  const Progress progress = step();
  if (progress == Progress::kEnded) finish();
  return progress;
}

Operation::Progress Operation::step() noexcept {
  if (!transfers_done()) return Progress::kNone;
  return advance() ? Progress::kEnded : Progress::kSome;
}

void Operation::restart() noexcept {
  at_ = 0;
  first_pending_ = 0;
  transfers_.clear();
  status_ = {};
}

void Operation::finish() noexcept {
  release_all();
  const pml::Request* self = this;
  set_done();  // the user may give up its claim from here on
  release();
  library().runtime->engine().completed(self);
}

/// The user may free types, operation and communicator while the collective is under way.
void Operation::retain_all() noexcept {
  if (op_) op_->retain();
  for (const Step& step : schedule.steps()) {
    if (step.from.layout) step.from.layout->retain();
    if (step.to.layout) step.to.layout->retain();
    if (step.kind == Step::Kind::kReduce) step.reduction.type->retain();
  }
}

void Operation::release_all() noexcept {
  for (const Step& step : schedule.steps()) {
    if (step.from.layout) step.from.layout->release();
    if (step.to.layout) step.to.layout->release();
    if (step.kind == Step::Kind::kReduce) step.reduction.type->release();
  }
  if (op_ && op_->drop() && op_->predefined_handle == 0) delete op_;
}

void Operation::release_operation(pml::Request& self) noexcept {
  auto& it = static_cast<Operation&>(self);
  if (!it.unclaim()) return;
  Comm& comm = *it.comm_;  // lives until the user has seen the end: its error handler may be asked
  it.give_back();
  drop(comm);
}

}  // namespace hawser::mpi::coll
