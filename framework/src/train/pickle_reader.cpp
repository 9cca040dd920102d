#include "train/pickle_reader.hpp"

#include "train/pickle_opcodes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace marey {
namespace {

// A detection checkpoint with its optimizer has about a hundred thousand values.
constexpr std::uint64_t most_steps = 16'000'000;
constexpr std::size_t most_values = 2'000'000;
constexpr std::uint8_t newest_protocol = 5;

}  // namespace

PickleValue* PickleReader::read() {
  do {
    opcode_place_ = source_.place();
    charge(1);
  } while (step(source_.byte()));
  PickleValue* out = pop();
  if (!stack_.empty() || !marks_.empty()) source_.refuse("the pickle ends with values left over");
  return out;
}

bool PickleReader::step(std::uint8_t opcode) {
  if (opcode == pickle_op::stop) return false;
  if (opcode == pickle_op::proto) {
    const int version = source_.byte();
    if (version > newest_protocol)
      source_.refuse_at(opcode_place_, fmt::format("a pickle of protocol {}, at most {} is known", version,
                                                   newest_protocol));
    return true;
  }
  if (opcode == pickle_op::frame) {  // how much to read ahead: of no use here
    source_.number<std::uint64_t>();
    return true;
  }
  if (constant(opcode) || container(opcode) || memory(opcode) || call(opcode)) return true;
  source_.refuse_at(opcode_place_,
                    fmt::format("the byte 0x{:02x} is no instruction that torch.save() writes", opcode));
}

bool PickleReader::container(std::uint8_t opcode) {
  const auto push_items = [this](Kind kind) {
    auto items = pop_to_mark();
    PickleValue* out = make(kind);
    append(*out, items);
    push(out);
  };
  switch (opcode) {
    case pickle_op::mark:
      marks_.push_back(stack_.size());
      return true;
    case pickle_op::empty_tuple:
      push(make(Kind::tuple));
      return true;
    case pickle_op::empty_list:
    case pickle_op::empty_set:
      push(make(Kind::list));
      return true;
    case pickle_op::empty_dict:
      push(make(Kind::table));
      return true;
    case pickle_op::tuple:
      push_items(Kind::tuple);
      return true;
    case pickle_op::list:
    case pickle_op::frozenset:
      push_items(Kind::list);
      return true;
    case pickle_op::dict:
      push_items(Kind::table);
      return true;
    case pickle_op::tuple1:
    case pickle_op::tuple2:
    case pickle_op::tuple3:
      push_tuple(1u + opcode - pickle_op::tuple1);
      return true;
    case pickle_op::append: {
      PickleValue* const item = pop();
      append(*top(), std::span(&item, 1));
      return true;
    }
    case pickle_op::setitem: {
      PickleValue* const value = pop();
      PickleValue* const pair[] = {pop(), value};
      append(*top(), pair);
      return true;
    }
    case pickle_op::appends:
    case pickle_op::additems:
    case pickle_op::setitems: {
      const auto items = pop_to_mark();
      append(*top(), items);
      return true;
    }
    default:
      return false;
  }
}

bool PickleReader::memory(std::uint8_t opcode) {
  switch (opcode) {
    case pickle_op::pop:
      if (marks_.empty() || stack_.size() > marks_.back())
        pop();
      else
        marks_.pop_back();
      return true;
    case pickle_op::pop_mark:
      pop_to_mark();
      return true;
    case pickle_op::dup:
      push(top());
      return true;
    case pickle_op::binput:
      remember(source_.byte());
      return true;
    case pickle_op::long_binput:
      remember(source_.number<std::uint32_t>());
      return true;
    case pickle_op::memoize:
      remember(memo_.size());
      return true;
    case pickle_op::binget:
      recall(source_.byte());
      return true;
    case pickle_op::long_binget:
      recall(source_.number<std::uint32_t>());
      return true;
    default:
      return false;
  }
}

bool PickleReader::call(std::uint8_t opcode) {
  switch (opcode) {
    case pickle_op::global: {
      const std::string module = source_.line(), name = source_.line();
      push(global(module, name));
      return true;
    }
    case pickle_op::stack_global: {
      const PickleValue* name = pop();
      const PickleValue* module = pop();
      if (name->kind != Kind::text || module->kind != Kind::text)
        source_.refuse_at(opcode_place_, "the name of a class is no text");
      push(global(module->text, name->text));
      return true;
    }
    case pickle_op::reduce: {
      PickleValue* arguments = pop();
      const PickleValue* callee = pop();
      push(call_global(*callee, *arguments));
      return true;
    }
    case pickle_op::newobj: {
      pop();  // the arguments: inert classes keep none
      push(new_object(*pop()));
      return true;
    }
    case pickle_op::build: {
      PickleValue* state = pop();
      set_state(*top(), *state);
      return true;
    }
    case pickle_op::persid:
      push(persistent(*pop()));
      return true;
    default:
      return false;
  }
}

PickleValue* PickleReader::make(Kind kind) {
  if (arena_.size() >= most_values)
    source_.refuse_at(opcode_place_, fmt::format("more than {} values", most_values));
  PickleValue& out = arena_.emplace_back();
  out.kind = kind;
  out.place = opcode_place_;
  return &out;
}

void PickleReader::push(PickleValue* value) { stack_.push_back(value); }

void PickleReader::push_text(Kind kind, std::uint64_t size) {
  PickleValue* out = make(kind);
  out->text = source_.take(size);
  push(out);
}

PickleValue* PickleReader::pop() {
  PickleValue* out = top();
  stack_.pop_back();
  return out;
}

PickleValue* PickleReader::top() {
  if (stack_.size() <= stack_floor()) source_.refuse_at(opcode_place_, "an instruction lacks its operands");
  return stack_.back();
}

std::vector<PickleValue*> PickleReader::pop_to_mark() {
  if (marks_.empty()) source_.refuse_at(opcode_place_, "an instruction lacks its mark");
  const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  marks_.pop_back();
  std::vector<PickleValue*> out(begin, stack_.end());
  stack_.erase(begin, stack_.end());
  return out;
}

void PickleReader::push_tuple(std::size_t count) {
  PickleValue* out = make(Kind::tuple);
  for (std::size_t i = 0; i < count; ++i) out->items.push_back(pop());
  std::ranges::reverse(out->items);
  push(out);
}

void PickleReader::append(PickleValue& container, std::span<PickleValue* const> items) {
  charge(items.size());
  switch (container.kind) {
    case Kind::object:
      return;  // an inert class that is a list or a table of its own
    case Kind::table:
      if (items.size() % 2 != 0) source_.refuse_at(opcode_place_, "a key without a value");
      break;
    case Kind::list:
    case Kind::tuple:
      break;
    default:
      source_.refuse_at(opcode_place_, "something is added to a value that holds nothing");
  }
  container.items.insert(container.items.end(), items.begin(), items.end());
}

void PickleReader::remember(std::uint64_t index) {
  memo_[index] = top();
  if (memo_.size() > most_values)
    source_.refuse_at(opcode_place_, fmt::format("more than {} remembered values", most_values));
}

void PickleReader::recall(std::uint64_t index) {
  const auto found = memo_.find(index);
  if (found == memo_.end())
    source_.refuse_at(opcode_place_, fmt::format("it refers to value {}, which it has not made", index));
  push(found->second);
}

void PickleReader::charge(std::uint64_t steps) {
  steps_ += steps;
  if (steps_ > most_steps)
    source_.refuse_at(opcode_place_, fmt::format("more than {} instructions", most_steps));
}

}  // namespace marey
