// SPDX-FileCopyrightText: 2026 The Hawser authors
// SPDX-License-Identifier: Apache-2.0

// Constructors of datatypes made of blocks. The large-count form of each differs in the integers only.

#include <string>

#include "mpi/type_args.hpp"

namespace hawser::mpi {
namespace {

enum class Unit : std::uint8_t { kItems, kBytes };

Wide in_bytes(MPI_Count value, Unit unit, const Datatype& type) noexcept {
  return unit == Unit::kBytes ? Wide{value} : Wide{value} * type.extent;
}

/// The constructor that a binding is.
struct Maker {
  const char* function;
  int combiner;
  bool large = false;

  std::shared_ptr<TypeContents> contents() const { return std::make_shared<TypeContents>(combiner, large); }
};

void add_displacement(TypeContents& contents, MPI_Count value, Unit unit) {
  unit == Unit::kBytes ? contents.add_address(value) : contents.add(value);
}

int make_vector(const Maker& maker, MPI_Count count, MPI_Count length, MPI_Count stride, Unit unit,
                MPI_Datatype oldtype, MPI_Datatype* newtype) noexcept {
  const char* function = maker.function;
  const Datatype* old = object_of(oldtype);
  if (const int error = check_constructor(function, count, old, newtype)) return error;
  if (const int error = check_block(function, length)) return error;
  return guarded(function, [&] {
    TypeBuilder builder;
    builder.add({0, static_cast<std::uint64_t>(length), static_cast<std::uint64_t>(count),
                 in_bytes(stride, unit, *old)},
                *old);
    const auto contents = maker.contents();
    contents->add(count);
    if (maker.combiner != MPI_COMBINER_CONTIGUOUS) {
      contents->add(length);
      add_displacement(*contents, stride, unit);
    }
    contents->add_type(*old);
    return give(function, builder, contents, newtype);
  });
}

int check_lists(const char* function, MPI_Count count, const void* lengths,
                const void* displacements) noexcept {
  if (count == 0 || (lengths != nullptr && displacements != nullptr)) return MPI_SUCCESS;
  return fail(nullptr, MPI_ERR_ARG, function,
              "a list of block lengths, displacements or types is a null pointer");
}

/// Blocks of lengths given one by one.
template <class Length, class Displacement>
int make_indexed(const Maker& maker, MPI_Count count, const Length* lengths,
                 const Displacement* displacements, Unit unit, MPI_Datatype oldtype,
                 MPI_Datatype* newtype) noexcept {
  const char* function = maker.function;
  const Datatype* old = object_of(oldtype);
  if (const int error = check_constructor(function, count, old, newtype)) return error;
  if (const int error = check_lists(function, count, lengths, displacements)) return error;
  return guarded(function, [&] {
    TypeBuilder builder;
    const auto contents = maker.contents();
    contents->add(count);
    for (MPI_Count i = 0; i < count; ++i) {
      if (const int error = check_block(function, lengths[i])) return error;
      builder.add({in_bytes(displacements[i], unit, *old), static_cast<std::uint64_t>(lengths[i])}, *old);
      contents->add(lengths[i]);
    }
    for (MPI_Count i = 0; i < count; ++i) add_displacement(*contents, displacements[i], unit);
    contents->add_type(*old);
    return give(function, builder, contents, newtype);
  });
}

/// Blocks of one length.
template <class Displacement>
int make_indexed_block(const Maker& maker, MPI_Count count, MPI_Count length,
                       const Displacement* displacements, Unit unit, MPI_Datatype oldtype,
                       MPI_Datatype* newtype) noexcept {
  const char* function = maker.function;
  const Datatype* old = object_of(oldtype);
  if (const int error = check_constructor(function, count, old, newtype)) return error;
  if (const int error = check_lists(function, count, displacements, displacements)) return error;
  if (const int error = check_block(function, length)) return error;
  return guarded(function, [&] {
    TypeBuilder builder;
    const auto contents = maker.contents();
    contents->add(count);
    contents->add(length);
    for (MPI_Count i = 0; i < count; ++i) {
      builder.add({in_bytes(displacements[i], unit, *old), static_cast<std::uint64_t>(length)}, *old);
      add_displacement(*contents, displacements[i], unit);
    }
    contents->add_type(*old);
    return give(function, builder, contents, newtype);
  });
}

template <class Length, class Displacement>
int make_struct(const Maker& maker, MPI_Count count, const Length* lengths, const Displacement* displacements,
                const MPI_Datatype* types, MPI_Datatype* newtype) noexcept {
  const char* function = maker.function;
  if (const int error = check_constructor(function, count, object_of(MPI_BYTE), newtype)) return error;
  if (const int error = check_lists(function, count, lengths, displacements)) return error;
  if (const int error = check_lists(function, count, types, types)) return error;
  return guarded(function, [&] {
    TypeBuilder builder;
    const auto contents = maker.contents();
    contents->add(count);
    for (MPI_Count i = 0; i < count; ++i) {
      const Datatype* type = object_of(types[i]);
      if (const int error = check_handle(function, type)) return error;
      if (const int error = check_block(function, lengths[i])) return error;
      builder.add({displacements[i], static_cast<std::uint64_t>(lengths[i])}, *type);
      contents->add(lengths[i]);
      contents->add_type(*type);
    }
    for (MPI_Count i = 0; i < count; ++i) contents->add_address(displacements[i]);
    return give(function, builder, contents, newtype);
  });
}

}  // namespace
}  // namespace hawser::mpi

using namespace hawser::mpi;

int PMPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return make_vector({"MPI_Type_contiguous", MPI_COMBINER_CONTIGUOUS}, count, 1, 1, Unit::kItems, oldtype,
                     newtype);
}
HAWSER_MPI_ALIAS(Type_contiguous)

int PMPI_Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return make_vector({"MPI_Type_contiguous_c", MPI_COMBINER_CONTIGUOUS, true}, count, 1, 1, Unit::kItems,
                     oldtype, newtype);
}
HAWSER_MPI_ALIAS(Type_contiguous_c)

int PMPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return make_vector({"MPI_Type_vector", MPI_COMBINER_VECTOR}, count, blocklength, stride, Unit::kItems,
                     oldtype, newtype);
}
HAWSER_MPI_ALIAS(Type_vector)

int PMPI_Type_vector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
                       MPI_Datatype* newtype) {
  return make_vector({"MPI_Type_vector_c", MPI_COMBINER_VECTOR, true}, count, blocklength, stride,
                     Unit::kItems, oldtype, newtype);
}
HAWSER_MPI_ALIAS(Type_vector_c)

int PMPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                             MPI_Datatype* newtype) {
  return make_vector({"MPI_Type_create_hvector", MPI_COMBINER_HVECTOR}, count, blocklength, stride,
                     Unit::kBytes, oldtype, newtype);
}
HAWSER_MPI_ALIAS(Type_create_hvector)

int PMPI_Type_create_hvector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
                               MPI_Datatype* newtype) {
  return make_vector({"MPI_Type_create_hvector_c", MPI_COMBINER_HVECTOR, true}, count, blocklength, stride,
                     Unit::kBytes, oldtype, newtype);
}
HAWSER_MPI_ALIAS(Type_create_hvector_c)

int PMPI_Type_indexed(int count, const int array_of_blocklengths[], const int array_of_displacements[],
                      MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return make_indexed({"MPI_Type_indexed", MPI_COMBINER_INDEXED}, count, array_of_blocklengths,
                      array_of_displacements, Unit::kItems, oldtype, newtype);
}
HAWSER_MPI_ALIAS(Type_indexed)

int PMPI_Type_indexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                        const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                        MPI_Datatype* newtype) {
  return make_indexed({"MPI_Type_indexed_c", MPI_COMBINER_INDEXED, true}, count, array_of_blocklengths,
                      array_of_displacements, Unit::kItems, oldtype, newtype);
}
HAWSER_MPI_ALIAS(Type_indexed_c)

int PMPI_Type_create_hindexed(int count, const int array_of_blocklengths[],
                              const MPI_Aint array_of_displacements[], MPI_Datatype oldtype,
                              MPI_Datatype* newtype) {
  return make_indexed({"MPI_Type_create_hindexed", MPI_COMBINER_HINDEXED}, count, array_of_blocklengths,
                      array_of_displacements, Unit::kBytes, oldtype, newtype);
}
HAWSER_MPI_ALIAS(Type_create_hindexed)

int PMPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                                const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                MPI_Datatype* newtype) {
  return make_indexed({"MPI_Type_create_hindexed_c", MPI_COMBINER_HINDEXED, true}, count,
                      array_of_blocklengths, array_of_displacements, Unit::kBytes, oldtype, newtype);
}
HAWSER_MPI_ALIAS(Type_create_hindexed_c)

int PMPI_Type_create_indexed_block(int count, int blocklength, const int array_of_displacements[],
                                   MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return make_indexed_block({"MPI_Type_create_indexed_block", MPI_COMBINER_INDEXED_BLOCK}, count, blocklength,
                            array_of_displacements, Unit::kItems, oldtype, newtype);
}
HAWSER_MPI_ALIAS(Type_create_indexed_block)

int PMPI_Type_create_indexed_block_c(MPI_Count count, MPI_Count blocklength,
                                     const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                     MPI_Datatype* newtype) {
  return make_indexed_block({"MPI_Type_create_indexed_block_c", MPI_COMBINER_INDEXED_BLOCK, true}, count,
                            blocklength, array_of_displacements, Unit::kItems, oldtype, newtype);
}
HAWSER_MPI_ALIAS(Type_create_indexed_block_c)

int PMPI_Type_create_hindexed_block(int count, int blocklength, const MPI_Aint array_of_displacements[],
                                    MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return make_indexed_block({"MPI_Type_create_hindexed_block", MPI_COMBINER_HINDEXED_BLOCK}, count,
                            blocklength, array_of_displacements, Unit::kBytes, oldtype, newtype);
}
HAWSER_MPI_ALIAS(Type_create_hindexed_block)

int PMPI_Type_create_hindexed_block_c(MPI_Count count, MPI_Count blocklength,
                                      const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                      MPI_Datatype* newtype) {
  return make_indexed_block({"MPI_Type_create_hindexed_block_c", MPI_COMBINER_HINDEXED_BLOCK, true}, count,
                            blocklength, array_of_displacements, Unit::kBytes, oldtype, newtype);
}
HAWSER_MPI_ALIAS(Type_create_hindexed_block_c)

int PMPI_Type_create_struct(int count, const int array_of_blocklengths[],
                            const MPI_Aint array_of_displacements[], const MPI_Datatype array_of_types[],
                            MPI_Datatype* newtype) {
  return make_struct({"MPI_Type_create_struct", MPI_COMBINER_STRUCT}, count, array_of_blocklengths,
                     array_of_displacements, array_of_types, newtype);
}
HAWSER_MPI_ALIAS(Type_create_struct)

int PMPI_Type_create_struct_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                              const MPI_Count array_of_displacements[], const MPI_Datatype array_of_types[],
                              MPI_Datatype* newtype) {
  return make_struct({"MPI_Type_create_struct_c", MPI_COMBINER_STRUCT, true}, count, array_of_blocklengths,
                     array_of_displacements, array_of_types, newtype);
}
HAWSER_MPI_ALIAS(Type_create_struct_c)
