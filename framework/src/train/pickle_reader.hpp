// Reads one pickle as data. What Python would call while it reads stands in an allow-list (pickle_calls.cpp),
// and each call is one of a few constructions of plain values: no code of the file ever runs.
// https://docs.python.org/3/library/pickletools.html
#pragma once
#include "train/pickle_source.hpp"
#include "train/pickle_value.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace marey {

class PickleReader {
 public:
  // Values are made in the arena, whose limits all pickles of a file share.
  PickleReader(PickleSource& source, PickleArena& arena) : source_(source), arena_(arena) {}

  // Throws CheckpointError naming the file, the byte and what is wrong. The source then stands behind the
  // pickle.
  PickleValue* read();

 private:
  using Kind = PickleValue::Kind;

  bool step(std::uint8_t opcode);  // false: the pickle ended
  bool constant(std::uint8_t opcode);
  bool container(std::uint8_t opcode);
  bool memory(std::uint8_t opcode);
  bool call(std::uint8_t opcode);

  PickleValue* make(Kind);
  void push(PickleValue*);
  void push_text(Kind, std::uint64_t size);
  PickleValue* pop();
  PickleValue* top();
  std::size_t stack_floor() const { return marks_.empty() ? 0 : marks_.back(); }
  std::vector<PickleValue*> pop_to_mark();
  void push_tuple(std::size_t count);
  void append(PickleValue& container, std::span<PickleValue* const> items);
  void remember(std::uint64_t index);
  void recall(std::uint64_t index);
  void charge(std::uint64_t steps);  // refuses what would take too long or too much memory

  // pickle_calls.cpp
  PickleValue* global(const std::string& module, const std::string& name);
  PickleValue* call_global(const PickleValue& callee, PickleValue& arguments);
  PickleValue* new_object(const PickleValue& callee);
  void set_state(PickleValue& object, PickleValue& state);
  PickleValue* persistent(const PickleValue& id);
  PickleValue* tensor(const PickleValue& callee, const PickleValue& arguments);
  PickleValue* numpy_scalar(const PickleValue& arguments);
  PickleValue* encoded(const PickleValue& arguments);
  PickleValue* container_of(Kind, const PickleValue& arguments);

  PickleSource& source_;
  PickleArena& arena_;
  std::vector<PickleValue*> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, PickleValue*> memo_;
  std::uint64_t opcode_place_ = 0, steps_ = 0;
};

}  // namespace marey
