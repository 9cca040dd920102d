#include <marey/core/registry.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace marey {
namespace {

std::string offered_by(const std::string& plugin, const std::string& file) {
  if (plugin.empty()) return "the host";
  return file.empty() ? fmt::format("plugin '{}'", plugin) : fmt::format("plugin '{}' ({})", plugin, file);
}

// What LibTorch throws ends in a stack of addresses that helps nobody here.
std::string_view without_stack(std::string_view what) {
  return what.substr(0, std::min(what.find("\nException raised from "), what.find("\nframe #0: ")));
}

// "model.backbone: SlowFast (plugin 'slowfast')"
std::string who(const Blueprint& b) {
  std::string out = b.path.empty() ? b.component->kind : b.path;
  out += ": " + b.component->name;
  if (!b.component->plugin.empty()) out += fmt::format(" (plugin '{}')", b.component->plugin);
  return out;
}

}  // namespace

const Component* Registry::find(std::string_view kind, std::string_view name) const {
  if (const Alias* a = find_alias(kind, name)) name = a->name;
  const auto it = components_.find(std::pair(std::string(kind), std::string(name)));
  return it == components_.end() ? nullptr : &it->second;
}

const Alias* Registry::find_alias(std::string_view kind, std::string_view name) const {
  const auto it = aliases_.find(std::pair(std::string(kind), std::string(name)));
  return it == aliases_.end() ? nullptr : &it->second;
}

std::vector<const Component*> Registry::all(std::string_view kind) const {
  std::vector<const Component*> out;
  for (const auto& [key, component] : components_)
    if (kind.empty() || key.first == kind) out.push_back(&component);
  return out;
}

std::vector<std::string> Registry::names(std::string_view kind) const {
  std::vector<std::string> out;
  for (const Component* c : all(kind)) out.push_back(c->name);
  return out;
}

void Registry::insert(Component c) {
  if (loading_) {
    c.plugin = loading_->name;
    c.plugin_version = loading_->version;
    c.plugin_file = loading_->file;
  }
  if (const Component* old = find(c.kind, c.name))
    throw Error(fmt::format("{} '{}' is offered twice: by {} and by {}; remove one of them", c.kind, c.name,
                            offered_by(old->plugin, old->plugin_file), offered_by(c.plugin, c.plugin_file)));
  auto key = std::pair(c.kind, c.name);
  components_.emplace(std::move(key), std::move(c));
}

void Registry::insert_alias(Alias a) {
  if (loading_) a.plugin = loading_->name;
  if (find(a.kind, a.old_name))
    throw Error(fmt::format("{}: the old name '{}' is still a component's name or another alias",
                            offered_by(a.plugin, {}), a.old_name));
  if (!find(a.kind, a.name))
    throw Error(fmt::format("{}: the old name '{}' stands for {} '{}', which does not exist",
                            offered_by(a.plugin, {}), a.old_name, a.kind, a.name));
  auto key = std::pair(a.kind, a.old_name);
  aliases_.emplace(std::move(key), std::move(a));
}

Enrolment::Enrolment(Registry& registry, PluginSource source)
    : registry_(registry), source_(std::move(source)) {
  registry_.loading_ = &source_;
}

Enrolment::~Enrolment() {
  registry_.loading_ = nullptr;
  if (committed_) return;
  std::erase_if(registry_.components_, [&](const auto& c) {
    return c.second.plugin == source_.name && c.second.plugin_file == source_.file;
  });
  std::erase_if(registry_.aliases_, [&](const auto& a) { return a.second.plugin == source_.name; });
}

void Enrolment::commit() { committed_ = true; }

namespace detail {

bool read_part(std::string_view kind, const Value& v, Blueprint& out, ReadContext& c) {
  if (!v.is_table()) {
    c.diagnostics.add(v.origin, c.path,
                      fmt::format("expected a {} (a table with a key 'type'), got {} {}", kind,
                                  kind_name(v.kind()), to_inline_toml(v)));
    return false;
  }
  const Value* type = v.find("type");
  const std::string* name = type ? type->string() : nullptr;
  if (!name) {
    c.diagnostics.add(type ? type->origin : v.origin, c.path,
                      fmt::format("this {} needs a key 'type' that names it{}", kind,
                                  did_you_mean("", c.registry.names(kind))));
    return false;
  }
  const Component* component = c.registry.find(kind, *name);
  if (!component) {
    const auto known = c.registry.names(kind);
    c.diagnostics.add(type->origin, c.path,
                      fmt::format("no {} is called '{}'{}{}", kind, *name, did_you_mean(*name, known),
                                  c.registry.unavailable));
    return false;
  }
  const auto errors = c.diagnostics.size();
  auto params = component->read(v, c);
  if (c.diagnostics.size() != errors) return false;
  out = {component, std::move(params), v.origin, c.path};
  return true;
}

}  // namespace detail

const std::string& Blueprint::type() const {
  if (!component) throw Error("an empty part has no type");
  return component->name;
}

std::shared_ptr<void> Blueprint::make() const {
  if (!component) throw Error("an empty part cannot be made; the recipe does not give it");
  try {
    return component->make(params.get());
  } catch (const Error& e) {
    throw Error(fmt::format("{}: {}", who(*this), e.what()), e.code());
  } catch (const std::exception& e) {
    throw Error(fmt::format("{}: {}", who(*this), without_stack(e.what())));
  }
}

Value Blueprint::write() const {
  Value out = Value::table();
  out.set("type", component->name);
  const Value fields = write_fields(params.get(), component->fields);
  for (const auto& e : *fields.entries()) out.set(e.key, e.value);
  out.origin = at;
  return out;
}

Blueprint read_component(const Registry& registry, std::string_view kind, const Value& table,
                         std::string path) {
  Diagnostics problems;
  ReadContext c{registry, problems, std::move(path)};
  Blueprint out;
  detail::read_part(kind, table, out, c);
  problems.throw_if_any();
  return out;
}

}  // namespace marey
