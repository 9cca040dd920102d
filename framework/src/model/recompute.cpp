#include <marey/model/recompute.hpp>

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace marey {

namespace {

// What a default generator will give next.
class RandomState {
 public:
  explicit RandomState(const at::Device& device)
      : generator_(at::globalContext().defaultGenerator(device)), state_(read()) {}
  at::Tensor read() const {
    const std::lock_guard lock(generator_.mutex());
    return generator_.get_state();
  }
  void write(const at::Tensor& state) {
    const std::lock_guard lock(generator_.mutex());
    generator_.set_state(state);
  }
  // Goes back to the state of construction; returns the one that was left.
  at::Tensor rewind() {
    at::Tensor left = read();
    write(state_);
    return left;
  }

 private:
  mutable at::Generator generator_;
  at::Tensor state_;
};

// Autocast as it was, without its cache: casts of weights that are made while no gradient is recorded must
// not be met again where one is.
class Autocast {
 public:
  explicit Autocast(c10::DeviceType device)
      : device_(device),
        enabled_(at::autocast::is_autocast_enabled(device)),
        type_(at::autocast::get_autocast_dtype(device)) {}
  template <class F>
  auto with(F&& run) const {
    struct Restore {
      Autocast before;
      bool cache = at::autocast::is_autocast_cache_enabled();
      ~Restore() {
        before.apply();
        at::autocast::set_autocast_cache_enabled(cache);
      }
    } const restore{.before = Autocast(device_)};
    apply();
    at::autocast::set_autocast_cache_enabled(false);
    return run();
  }

 private:
  void apply() const {
    at::autocast::set_autocast_enabled(device_, enabled_);
    at::autocast::set_autocast_dtype(device_, type_);
  }
  c10::DeviceType device_;
  bool enabled_;
  c10::ScalarType type_;
};

struct Call : torch::CustomClassHolder {
  Call(TensorFunction f, std::size_t n, const at::Device& device)
      : part(std::move(f)), inputs(n), autocast(device.type()) {
    random.emplace_back(at::Device(at::kCPU));
    if (!device.is_cpu()) random.emplace_back(device);
  }
  TensorFunction part;
  std::size_t inputs;  // the first of the saved tensors; the others are parameters
  Autocast autocast;
  std::vector<RandomState> random;
};

class Recompute : public torch::autograd::Function<Recompute> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const c10::intrusive_ptr<Call>& call,
                                                at::TensorList tensors) {
    context->saved_data["call"] = c10::IValue::make_capsule(call);
    context->save_for_backward(tensors.vec());
    const std::vector<at::Tensor> inputs = tensors.slice(0, call->inputs).vec();
    return call->autocast.with([&] { return call->part(inputs); });
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto holder = context->saved_data["call"].toCapsule();
    Call& call = static_cast<Call&>(*holder);
    std::vector<at::Tensor> sources = context->get_saved_variables();
    for (std::size_t i = 0; i < call.inputs; ++i)
      sources[i] = sources[i].detach().requires_grad_(sources[i].requires_grad());
    const std::vector<at::Tensor> inputs(sources.begin(),
                                         sources.begin() + static_cast<std::ptrdiff_t>(call.inputs));
    std::vector<at::Tensor> outputs = again(call, inputs);

    std::vector<at::Tensor> reached, weights;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].requires_grad() && gradients[i].defined()) {
        reached.push_back(std::move(outputs[i]));
        weights.push_back(gradients[i]);
      }
    std::vector<at::Tensor> wanted;
    for (const auto& source : sources)
      if (source.requires_grad()) wanted.push_back(source);
    std::vector<at::Tensor> found(wanted.size());
    if (!reached.empty() && !wanted.empty())
      found = torch::autograd::grad(reached, wanted, weights, std::nullopt, false, true);

    torch::autograd::variable_list out(1);  // the call has none
    auto next = found.begin();
    for (const auto& source : sources) out.push_back(source.requires_grad() ? *next++ : at::Tensor());
    return out;
  }

 private:
  static std::vector<at::Tensor> again(Call& call, const std::vector<at::Tensor>& inputs) {
    std::vector<at::Tensor> left;
    for (auto& state : call.random) left.push_back(state.rewind());
    const at::AutoGradMode record(true);
    std::vector<at::Tensor> outputs = call.autocast.with([&] { return call.part(inputs); });
    for (std::size_t i = 0; i < left.size(); ++i) call.random[i].write(left[i]);
    return outputs;
  }
};

}  // namespace

std::vector<at::Tensor> recompute(const TensorFunction& part, const std::vector<at::Tensor>& inputs,
                                  const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> tensors = inputs;
  std::ranges::copy_if(parameters, std::back_inserter(tensors),
                       [](const at::Tensor& p) { return p.requires_grad(); });
  const bool wanted =
      std::ranges::any_of(tensors, [](const at::Tensor& t) { return t.defined() && t.requires_grad(); });
  if (!at::GradMode::is_enabled() || !wanted) return part(inputs);
  auto call = c10::make_intrusive<Call>(part, inputs.size(), inputs.at(0).device());
  return Recompute::apply(std::move(call), at::TensorList(tensors));
}

}  // namespace marey
