// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "components/tcp/context.hpp"
#include "components/tcp/link.hpp"
#include "components/tcp/receive_half.hpp"
#include "components/tcp/send_half.hpp"
#include "components/tcp/states.hpp"
#include "framework/btl/endpoint.hpp"
#include "framework/interfaces/ip_address.hpp"

namespace hawser::tcp {

class Module;

/// So long the messages of a rail wait for it to be connected before others serve, ns.
inline constexpr std::uint64_t kPatience = 50'000'000;
/// Of a module of the peer: there is none yet.
inline constexpr std::uint16_t kNoModule = 0xffff;

/// What an endpoint joins. Constant.
struct RailFacts {
  std::uint32_t rank = 0;
  std::uint64_t incarnation = 0;    // of the peer, as published
  std::uint16_t their_module = 0;   // index of the peer's module
  std::uint64_t largest = 0;        // most bytes of data in a message of the peer, as published
  std::string host;                 // of the peer, for messages
  bool same_machine = false;        // as the peer: bytes stay in its memory
  interfaces::SocketAddress local;  // port 0: the way out
  interfaces::SocketAddress remote;

  /// No address of ours goes with one of the peer's: its messages wait for one that does.
  bool pairless() const noexcept { return their_module == kNoModule; }
};

/// What a rail is to those who send.
enum class Standing : std::uint8_t {
  kRail,   // serves, or is the next to
  kAside,  // is still being connected, while others serve
  kProbe,  // takes the place of one that failed, once it is connected
};

/// One rail to one peer: how its connection comes about, is used and ends. Posts come from any thread; all
/// the rest belongs to the progress role. `step` is the only writer of the state.
class Endpoint final : public btl::Endpoint {
 public:
  Endpoint(Context& context, Module& module, RailFacts facts);
  ~Endpoint();

  btl::Posted send(btl::Descriptor& descriptor) noexcept;
  btl::Posted sendi(btl::Head head, const void* data, std::size_t size) noexcept;

  // --- progress role
  /// Somebody asked for a look: a first send, a write that failed, or a release.
  void on_attention() noexcept;
  /// A connection that said a valid hello for this rail, with that number.
  void on_inbound(std::unique_ptr<Link> link, std::uint64_t number) noexcept;
  /// Reads what is there, and looks up to `tries` times whether anything is. 0: nothing was.
  int serve(int tries) noexcept;
  /// Sends what waits, called by the flusher. Whether anything went.
  bool flush() noexcept;
  /// As SendHalf::help.
  SendHalf::Help help() noexcept;
  /// Something waits for a pass of progress. Any thread.
  void call_pass() noexcept { context_.host.wake(); }
  /// The progress role is to have a look at this endpoint. Any thread.
  void ask_attention() noexcept;
  /// The event loop begins to tell of the socket of the connection in use. False: no memory. Any thread.
  bool watch_stream(int fd, std::uint32_t events) noexcept;
  /// The last read was of much, or more is known to come.
  bool in_bulk() const noexcept { return receive_.in_bulk(); }
  /// Whether the event loop tells of bytes. False: there is no connection.
  bool watch_bytes(bool wanted) noexcept;
  /// Looks whether the peer's system still answers. Called now and then, so it serves too if there was no
  /// memory for a timer.
  void check_silence() noexcept;

  /// As Module::abandon.
  void abandon() noexcept;
  /// The address of one side went away. If something that was taken for sent may be lost, the rail failed.
  void lose_unconfirmed() noexcept;
  /// The same; if it did not fail: nothing is sent any more, what waits completes with kUnreachable, and what
  /// the peer has sent is read to its end.
  void let_go() noexcept;
  /// What the peer published last has been settled, and this rail is still one: if it ended meanwhile, it
  /// failed.
  void stays() noexcept;
  /// Gives an idle rail up for the sake of its descriptor, and reports that nothing was lost. False: it is in
  /// use.
  bool give_back() noexcept;
  /// Calls again later, if the peer has not answered yet: callers need the descriptor. False: nothing to put
  /// off.
  bool put_off() noexcept;
  /// The peer's process is another one: what waits completes with kPeerGone, and `text` is reported.
  void fail_restarted(const std::string& text) noexcept;
  /// Calls the peer, though nobody has anything to send.
  void call() noexcept;
  /// Tells the peer what this process publishes now, if there is a connection.
  void push_update() noexcept;

  // --- standby.cpp: rails that do not serve just now
  Standing standing() const noexcept { return standing_.load(std::memory_order_acquire); }
  /// It is wanted, and has not been connected for longer than others should wait for it.
  bool is_slow() const noexcept;
  /// No rail from here on, until it is connected. To be followed by Host::rails_changed, then `hand_back`.
  void step_aside() noexcept;
  /// What came since it stands aside completes with kUnreachable.
  void hand_back() noexcept;
  /// Connected, though it did not serve: it does now. True: it was so.
  bool comes_back() noexcept;
  /// There is no other: it serves, and has all the time of a first attempt. Any thread.
  void enlist() noexcept;
  /// Whether it failed for good, and another may be tried in its place.
  bool may_be_revived() const noexcept;
  /// Is to be tried now and then, in the place of that one, from `begin_probing` on.
  void probe_for(const Endpoint& failed) noexcept;
  void begin_probing() noexcept;
  /// Our interfaces or routes changed: what waited for that tries now.
  void on_network_change() noexcept;
  /// If pairless: why, as of now.
  void explain(std::string why) noexcept { why_pairless_ = std::move(why); }

  // --- release, in two steps
  /// Nothing is sent any more; what waits completes with kShutdown. Any thread.
  void retire() noexcept;
  /// Says goodbye and drops all sockets. Nobody else is inside any more.
  void close() noexcept;
  /// Last words of an open connection; false: call again when there is room.
  bool say_goodbye() noexcept;

  bool flushed() noexcept;
  /// A hello was exchanged, or more: bytes may be under way.
  bool in_use() const noexcept;
  /// It is no rail any more and becomes none again.
  bool is_over() const noexcept;
  State state() const noexcept { return state_.load(std::memory_order_acquire); }
  const RailFacts& facts() const noexcept { return facts_; }
  Module& module() noexcept { return module_; }
  /// Of the connection in use; -1: none.
  int stream_fd() const noexcept { return stream_.get(); }

  // The context's stack of endpoints that want a look.
  Endpoint* next_attention = nullptr;
  Endpoint* next_waiting = nullptr;  // the flusher's
  // The hot set's.
  std::uint32_t heard_in_sleep = 0;

 private:
  friend class Dialer;

  // What may become of an attempt that failed.
  enum class Hope : std::uint8_t {
    kNone,     // as the peer or the administrator wants it: no other attempt
    kAgain,    // another attempt, so many times
    kNetwork,  // addresses, links and routes come and go: as long as there is time
  };

  void show(State now) const noexcept;
  bool step(Event event) noexcept;
  bool we_are_lower() const noexcept { return context_.host.job().rank < facts_.rank; }

  // connect.cpp: our own connection
  void dial(Event why) noexcept;
  Fd open_socket(int& error) noexcept;
  void on_dial(std::uint32_t events) noexcept;
  bool on_connected() noexcept;
  void continue_hello() noexcept;
  void on_answer() noexcept;
  void on_refusal(Reply reply) noexcept;
  static Hope hope_of(int error, bool at_once = false) noexcept;
  bool goes_on(Hope hope) const noexcept;
  void dial_failed(std::string_view what, Hope hope) noexcept;
  void take_down(std::string_view what, Hope hope) noexcept;
  void add_outcome(const std::string& text) noexcept;
  void drop_dial() noexcept;
  void wait_for_pair() noexcept;
  void wait_for_descriptor() noexcept;
  void back_off(unsigned doublings) noexcept;
  void on_timer() noexcept;
  void arm_timer(std::uint64_t in_ns) noexcept;
  void cancel_timer() noexcept;
  void give_up() noexcept;
  std::string failure_text() const noexcept;
  std::uint64_t time_left() const noexcept;
  std::uint64_t attempt_left() const noexcept;

  // standby.cpp
  bool probing() const noexcept { return standing() == Standing::kProbe; }
  void count_anew() noexcept;
  void pause_probe() noexcept;
  void start_over() noexcept;

  // accept.cpp: the peer's connection
  void welcome(std::unique_ptr<Link> link) noexcept;
  void refuse(std::unique_ptr<Link> link, Reply reply) noexcept;
  void park(std::unique_ptr<Link> link) noexcept;
  void promote_parked() noexcept;
  void on_inbound_event() noexcept;
  void on_parked_event() noexcept;
  void inbound_lost() noexcept;

  // endpoint.cpp: the connection in use
  void become_ready(std::unique_ptr<Link> link) noexcept;
  void on_stream(std::uint32_t events) noexcept;
  int read(int tries) noexcept;
  void after_read(ReceiveHalf::Result result) noexcept;
  void check_write_error() noexcept;
  void lose(Errc code, std::string_view what) noexcept;
  void break_off(Errc status) noexcept;
  void read_update() noexcept;
  void hear_update(const std::string& bytes);
  void on_end(Errc code, const char* what) noexcept;
  void leave() noexcept;
  void on_retire() noexcept;
  void finish_leaving() noexcept;
  void leave_quietly() noexcept;
  void hang_up() noexcept;
  void drop_stream(Errc status) noexcept;
  std::string describe() const noexcept;
  void report(Errc code, const std::string& text) noexcept;

  Context& context_;
  Module& module_;
  const RailFacts facts_;
  SendHalf send_;
  ReceiveHalf receive_;
  std::atomic<State> state_{State::kIdle};
  std::atomic<bool> asked_{false};   // on the attention stack
  std::atomic<bool> wanted_{false};  // somebody wants to send
  std::atomic<bool> retired_{false};
  std::atomic<Standing> standing_{Standing::kRail};
  std::atomic<bool> hurry_{false};  // it was enlisted

  Fd stream_;
  std::unique_ptr<Link> dial_;
  std::unique_ptr<Link> inbound_;  // answered
  std::unique_ptr<Link> parked_;   // not answered
  std::uint64_t timer_ = 0;
  bool untimed_ = false;  // one is wanted, and there was no memory for it
  std::uint64_t attempt_began_ns_ = 0;
  std::uint64_t first_attempt_ns_ = 0;
  std::uint64_t attempt_ends_ns_ = 0;
  std::uint64_t ready_ns_ = 0;          // when it was connected; 0: never
  std::uint64_t unheard_since_ns_ = 0;  // the peer's system; 0: it was heard of
  std::uint64_t heard_ = 0;             // the highest number in a hello of the peer
  std::uint64_t short_since_ns_ = 0;    // no descriptor was to be had; 0: not known to be so
  unsigned attempts_ = 0;
  unsigned waits_ = 0;          // for a descriptor, in that shortage; for a pair
  unsigned network_waits_ = 0;  // of `attempts_`, those that met no network
  unsigned probes_ = 0;         // so far, until it serves for a while
  bool waits_for_network_ = false;
  bool comes_back_never_ = false;  // it was given up for a reason that stays
  std::string outcomes_;           // what each attempt came to
  std::string last_outcome_;
  std::string why_pairless_;
  bool refused_ = false;       // the last attempt, by the peer itself
  bool peer_left_ = false;     // its address is gone, and so will this rail be, unless it `stays`
  Errc held_end_ = Errc::kOk;  // what ended it since; reported if it stays
  const char* held_words_ = "";
  bool retire_asked_ = false;  // by the peer
  bool open_ends_ = false;     // left with something that the peer's system had not confirmed
  bool reported_ = false;
};

}  // namespace hawser::tcp
