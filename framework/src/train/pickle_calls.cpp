// The allow-list: which names a pickle may refer to, and the plain value that stands for each call.
#include "train/pickle_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace marey {
namespace {

using c10::ScalarType;

constexpr std::array storages{
    std::pair{std::string_view("FloatStorage"), ScalarType::Float},
    std::pair{std::string_view("DoubleStorage"), ScalarType::Double},
    std::pair{std::string_view("HalfStorage"), ScalarType::Half},
    std::pair{std::string_view("BFloat16Storage"), ScalarType::BFloat16},
    std::pair{std::string_view("LongStorage"), ScalarType::Long},
    std::pair{std::string_view("IntStorage"), ScalarType::Int},
    std::pair{std::string_view("ShortStorage"), ScalarType::Short},
    std::pair{std::string_view("CharStorage"), ScalarType::Char},
    std::pair{std::string_view("ByteStorage"), ScalarType::Byte},
    std::pair{std::string_view("BoolStorage"), ScalarType::Bool},
    std::pair{std::string_view("ComplexFloatStorage"), ScalarType::ComplexFloat},
    std::pair{std::string_view("UntypedStorage"), ScalarType::Byte},
};
constexpr std::array dtypes{
    std::pair{std::string_view("float32"), ScalarType::Float},
    std::pair{std::string_view("float64"), ScalarType::Double},
    std::pair{std::string_view("float16"), ScalarType::Half},
    std::pair{std::string_view("bfloat16"), ScalarType::BFloat16},
    std::pair{std::string_view("int64"), ScalarType::Long},
    std::pair{std::string_view("int32"), ScalarType::Int},
    std::pair{std::string_view("int16"), ScalarType::Short},
    std::pair{std::string_view("int8"), ScalarType::Char},
    std::pair{std::string_view("uint8"), ScalarType::Byte},
    std::pair{std::string_view("uint16"), ScalarType::UInt16},
    std::pair{std::string_view("uint32"), ScalarType::UInt32},
    std::pair{std::string_view("uint64"), ScalarType::UInt64},
    std::pair{std::string_view("bool"), ScalarType::Bool},
    std::pair{std::string_view("complex64"), ScalarType::ComplexFloat},
    std::pair{std::string_view("float8_e4m3fn"), ScalarType::Float8_e4m3fn},
    std::pair{std::string_view("float8_e5m2"), ScalarType::Float8_e5m2},
};
// What a call of them gives is made below.
constexpr std::array<std::string_view, 29> callables{"collections.OrderedDict",
                                                     "collections.defaultdict",
                                                     "torch._utils._rebuild_tensor",
                                                     "torch._utils._rebuild_tensor_v2",
                                                     "torch._utils._rebuild_tensor_v3",
                                                     "torch._utils._rebuild_parameter",
                                                     "torch._utils._rebuild_parameter_with_state",
                                                     "torch.Size",
                                                     "torch.device",
                                                     "torch.jit._pickle.restore_type_tag",
                                                     "torch.jit._pickle.build_intlist",
                                                     "torch.jit._pickle.build_doublelist",
                                                     "torch.jit._pickle.build_boollist",
                                                     "torch.jit._pickle.build_tensorlist",
                                                     "_codecs.encode",
                                                     "builtins.set",
                                                     "__builtin__.set",
                                                     "builtins.frozenset",
                                                     "__builtin__.frozenset",
                                                     "builtins.list",
                                                     "__builtin__.list",
                                                     "builtins.dict",
                                                     "__builtin__.dict",
                                                     "builtins.bytes",
                                                     "__builtin__.bytes",
                                                     "numpy.core.multiarray.scalar",
                                                     "numpy._core.multiarray.scalar",
                                                     "numpy.core.multiarray._reconstruct",
                                                     "numpy._core.multiarray._reconstruct"};
// Classes that stand beside weights in the files of PySlowFast, MMAction2 and TimeSformer. Their objects are
// kept as a name; nothing of them is read.
constexpr std::array<std::string_view, 10> inert{"numpy.ndarray",
                                                 "numpy.dtype",
                                                 "argparse.Namespace",
                                                 "mmengine.logging.history_buffer.HistoryBuffer",
                                                 "mmengine.config.config.ConfigDict",
                                                 "mmengine.config.config.Config",
                                                 "yacs.config.CfgNode",
                                                 "fvcore.common.config.CfgNode",
                                                 "pathlib.PosixPath",
                                                 "datetime.datetime"};

template <std::size_t n>
std::optional<ScalarType> find(const std::array<std::pair<std::string_view, ScalarType>, n>& table,
                               std::string_view wanted) {
  for (const auto& [name, type] : table)
    if (name == wanted) return type;
  return std::nullopt;
}

bool is_module(std::string_view name) {
  return name.starts_with("torch.nn.") || name.starts_with("torchvision.");
}

}  // namespace

PickleValue* PickleReader::global(const std::string& module, const std::string& name) {
  const std::string full = module + "." + name;
  if (module == "torch" || module == "torch.cuda" || module == "torch.storage") {
    if (const auto type = find(dtypes, name); type && module == "torch") {
      PickleValue* out = make(Kind::dtype);
      out->type = *type;
      return out;
    }
    if (const auto type = find(storages, name)) {
      PickleValue* out = make(Kind::global);
      out->text = name;
      out->type = *type;
      return out;
    }
  }
  const bool known = std::ranges::find(callables, full) != callables.end() ||
                     std::ranges::find(inert, full) != inert.end() || module == "numpy.dtypes" ||
                     module.starts_with("__torch__");  // a class of TorchScript: a record of its attributes
  if (!known && is_module(full))
    source_.refuse_at(
        opcode_place_,
        fmt::format("the file holds a whole module ({}) where weights are expected, and building it "
                    "would run its code; save model.state_dict() instead",
                    full));
  if (!known)
    source_.refuse_at(
        opcode_place_,
        fmt::format("the file asks for {}, which weights do not need; nothing was run. Load it in "
                    "Python if you trust it, and save the state dict alone",
                    full));
  PickleValue* out = make(Kind::global);
  out->text = full;
  return out;
}

PickleValue* PickleReader::new_object(const PickleValue& callee) {
  if (callee.kind != Kind::global)
    source_.refuse_at(opcode_place_, "an object of something that is no class");
  if (callee.text == "collections.OrderedDict") return make(Kind::table);
  PickleValue* out = make(Kind::object);
  out->text = callee.text;
  return out;
}

PickleValue* PickleReader::call_global(const PickleValue& callee, PickleValue& arguments) {
  if (callee.kind != Kind::global || arguments.kind != Kind::tuple)
    source_.refuse_at(opcode_place_, "a call of something that is no function");
  const std::string_view name = callee.text;
  const auto first = [&]() -> PickleValue* {
    if (arguments.items.empty()) source_.refuse_at(opcode_place_, fmt::format("{} without arguments", name));
    return arguments.items[0];
  };
  if (name == "collections.OrderedDict" || name.ends_with(".dict"))
    return container_of(Kind::table, arguments);
  if (name == "collections.defaultdict") return make(Kind::table);  // what it holds follows, item by item
  if (name.ends_with(".set") || name.ends_with(".frozenset") || name.ends_with(".list"))
    return container_of(Kind::list, arguments);
  if (name.starts_with("torch._utils._rebuild_tensor")) return tensor(callee, arguments);
  if (name.starts_with("torch._utils._rebuild_parameter")) {
    if (first()->kind != Kind::tensor) source_.refuse_at(opcode_place_, "a parameter that is no tensor");
    return first();
  }
  if (name == "torch.Size" || name == "torch.device" || name.starts_with("torch.jit._pickle."))
    return first();
  if (name == "_codecs.encode") return encoded(arguments);
  if (name.ends_with(".bytes") && arguments.items.empty()) return make(Kind::bytes);
  if (name.ends_with("multiarray.scalar")) return numpy_scalar(arguments);
  if (name == "numpy.dtype" && first()->kind == Kind::text) {
    PickleValue* out = make(Kind::object);
    out->text = "numpy.dtype";
    out->items.push_back(first());
    return out;
  }
  if (name.ends_with("Storage")) source_.refuse_at(opcode_place_, fmt::format("a call of {}", name));
  PickleValue* out = make(Kind::object);
  out->text = name.ends_with("multiarray._reconstruct") ? std::string("numpy.ndarray") : callee.text;
  return out;
}

PickleValue* PickleReader::container_of(Kind kind, const PickleValue& arguments) {
  PickleValue* out = make(kind);
  if (arguments.items.empty()) return out;
  const PickleValue& items = *arguments.items[0];
  const bool list = items.kind == Kind::list || items.kind == Kind::tuple;
  if (kind == Kind::table && list) {  // pairs, as Python 2 wrote an OrderedDict
    charge(items.items.size());
    for (PickleValue* pair : items.items) {
      if ((pair->kind != Kind::list && pair->kind != Kind::tuple) || pair->items.size() != 2)
        source_.refuse_at(opcode_place_, "a table of something that is no pair");
      out->items.insert(out->items.end(), pair->items.begin(), pair->items.end());
    }
    return out;
  }
  if (!list && items.kind != kind)
    source_.refuse_at(opcode_place_, "a container of something that holds nothing");
  append(*out, items.items);
  return out;
}

// A table's state would be its attributes; PyTorch keeps the versions of modules there, which no weight
// depends on.
void PickleReader::set_state(PickleValue& object, PickleValue& state) {
  if (object.kind == Kind::object) {
    object.items.push_back(&state);
    return;
  }
  if (object.kind != Kind::table && object.kind != Kind::tensor)
    source_.refuse_at(opcode_place_, "a state for a value that has none");
}

PickleValue* PickleReader::persistent(const PickleValue& id) {
  const auto& items = id.items;
  if (id.kind != Kind::tuple || items.size() < 5 || items[0]->kind != Kind::text ||
      items[0]->text != "storage")
    source_.refuse_at(opcode_place_, "a reference to something that is no storage of a tensor");
  if (items.size() > 5 && items[5]->kind != Kind::none)
    source_.refuse_at(opcode_place_,
                      "a view of a storage, as PyTorch before 0.4 wrote them; load and save it again");
  const PickleValue &type = *items[1], &key = *items[2], &count = *items[4];
  if (type.kind != Kind::global || type.type == ScalarType::Undefined || key.kind != Kind::text ||
      count.kind != Kind::integer || count.integer < 0)
    source_.refuse_at(opcode_place_, "a storage without its type, its name or its length");
  PickleValue* out = make(Kind::storage);
  out->text = key.text;
  out->type = type.type;
  out->integer = count.integer;
  return out;
}

PickleValue* PickleReader::tensor(const PickleValue& callee, const PickleValue& arguments) {
  constexpr std::size_t most_dimensions = 64;
  const auto& given = arguments.items;
  const bool typed = callee.text.ends_with("_v3");
  if (given.size() < (typed ? 7 : 4) || given[0]->kind != Kind::storage || given[1]->kind != Kind::integer)
    source_.refuse_at(opcode_place_, "a tensor without its storage, its offset or its shape");
  PickleValue* out = make(Kind::tensor);
  out->items.push_back(given[0]);
  out->integer = given[1]->integer;
  out->type = given[0]->type;
  if (typed) {
    if (given[6]->kind != Kind::dtype) source_.refuse_at(opcode_place_, "a tensor without its element type");
    out->type = given[6]->type;
  }
  for (const auto& [from, to] : {std::pair{given[2], &out->sizes}, std::pair{given[3], &out->strides}}) {
    if ((from->kind != Kind::tuple && from->kind != Kind::list) || from->items.size() > most_dimensions)
      source_.refuse_at(opcode_place_,
                        fmt::format("a shape that is no list of at most {} numbers", most_dimensions));
    for (const PickleValue* n : from->items) {
      if (n->kind != Kind::integer)
        source_.refuse_at(opcode_place_, "a shape of something that is no number");
      to->push_back(n->integer);
    }
  }
  if (out->sizes.size() != out->strides.size())
    source_.refuse_at(opcode_place_, fmt::format("a tensor of {} sizes and {} strides", out->sizes.size(),
                                                 out->strides.size()));
  return out;
}

}  // namespace marey
