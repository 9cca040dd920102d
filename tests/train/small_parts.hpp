// The smallest model, data set, optimizer, schedule and metric that a run can be made of.
#pragma once
#include <marey/core/error.hpp>
#include <marey/core/registry.hpp>
#include <marey/train/experiment.hpp>

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <set>

namespace marey::test {

// A linear layer on the mean colour, with dropout, and a buffer that counts training batches.
class TinyModel : public Model {
 public:
  struct Params {
    int num_classes = 2;
    double dropout = 0.5;
    std::int64_t nan_at = -1;  // training batch whose loss is no number
  };
  static auto schema() {
    return Schema<Params>{}
        .arg<&Params::num_classes>({.doc = "classes"})
        .arg<&Params::dropout>({.doc = "dropout"})
        .arg<&Params::nan_at>({.doc = "batch of a bad loss"});
  }
  explicit TinyModel(Params p) : p_(p) {
    weight_ = register_parameter("weight", at::randn({3, p.num_classes}));
    bias_ = register_parameter("bias", at::zeros({p.num_classes}));
    seen_ = register_buffer("seen", at::zeros({}, at::kLong));
  }
  TrainOutput train_step(const data::Batch& batch) override {
    const at::Tensor logits = forward(batch);
    at::Tensor loss = at::cross_entropy_loss(logits, batch.labels);
    if (seen_.item<std::int64_t>() == p_.nan_at) loss = loss * std::numeric_limits<double>::quiet_NaN();
    seen_.add_(1);
    return {.loss = loss, .terms = {}, .scores = logits.detach()};
  }
  at::Tensor predict(const data::Batch& batch) override { return forward(batch).softmax(1); }
  std::int64_t num_classes() const override { return p_.num_classes; }

 private:
  at::Tensor forward(const data::Batch& batch) {
    const at::Tensor colour =
        batch.pixels.to(at::kFloat).mean(at::IntArrayRef{1, 3, 4, 5}) / 255 - 0.5;  // [N, C]
    return at::dropout(colour, p_.dropout, is_training()).matmul(weight_) + bias_;
  }
  Params p_;
  at::Tensor weight_, bias_, seen_;
};

// Bright and dark clips; the frames drawn at random.
class TinyDataset : public Dataset {
 public:
  struct Params {
    std::int64_t samples = 20, classes = 2;
    std::int64_t broken = -1;  // index of a clip that cannot be opened
  };
  static auto schema() {
    return Schema<Params>{}
        .arg<&Params::samples>({.doc = "clips"})
        .arg<&Params::classes>({.doc = "classes"})
        .arg<&Params::broken>({.doc = "a bad clip"});
  }
  explicit TinyDataset(Params p) : p_(p), pipeline_{std::make_shared<TwoFrames>()} {
    for (std::int64_t i = 0; i < p.classes; ++i) names_.push_back(fmt::format("class {}", i));
  }
  std::size_t size() const override { return static_cast<std::size_t>(p_.samples); }
  data::Sample sample(std::size_t i) const override {
    return {.source = fmt::format("clip {}", i),
            .labels = {static_cast<std::int64_t>(i) % p_.classes},
            .index = i};
  }
  std::span<const std::shared_ptr<Transform>> pipeline() const override { return pipeline_; }
  std::int64_t num_classes() const override { return p_.classes; }
  const std::vector<std::string>& class_names() const override { return names_; }
  std::unique_ptr<media::FrameSource> open(const data::Sample& s) const override {
    if (static_cast<std::int64_t>(s.index) == p_.broken) throw DataError(s.source + ": is damaged");
    return std::make_unique<Source>(static_cast<std::uint8_t>(60 + 100 * s.labels.front() + s.index % 20));
  }

 private:
  struct TwoFrames : Transform {
    void apply(data::Clip& clip, Random& random) const override {
      const std::int64_t first = clip.training ? random.integer(0, 6) : 3;
      clip.frames = {{first, first + 1}};
    }
  };
  struct Source : media::FrameSource {
    explicit Source(std::uint8_t b) : brightness(b) {
      about.frames = 8;
      about.width = about.height = 4;
    }
    const media::VideoInfo& info() const override { return about; }
    void read(std::span<const media::FrameRequest> requests) override {
      for (const auto& r : requests)
        std::fill_n(r.pixels, r.geometry.out_width * r.geometry.out_height * 3,
                    static_cast<std::uint8_t>(brightness + 5 * r.index));
    }
    const media::ReadStats& stats() const override { return counters; }
    std::uint8_t brightness;
    media::VideoInfo about;
    media::ReadStats counters;
  };
  Params p_;
  std::vector<std::shared_ptr<Transform>> pipeline_;
  std::vector<std::string> names_;
};

class Momentum : public Optimizer {
 public:
  struct Params {
    double lr = 0.5;
  };
  static auto schema() { return Schema<Params>{}.arg<&Params::lr>({.doc = "learning rate"}); }
  explicit Momentum(Params p) { groups_ = {{.base_lr = p.lr, .lr = p.lr}}; }
  void attach(const torch::nn::Module& model) override {
    for (const auto& item : model.named_parameters()) {
      groups_[0].names.push_back(item.key());
      groups_[0].params.push_back(item.value());
      velocity_.push_back(at::zeros_like(item.value()));
    }
  }
  void step() override {
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < velocity_.size(); ++i) {
      const at::Tensor& p = groups_[0].params[i];
      if (p.grad().defined()) p.sub_(velocity_[i].mul_(0.9).add_(p.grad()), groups_[0].lr);
    }
  }
  std::vector<ParamGroup>& groups() override { return groups_; }
  State save() const override {
    State out;
    for (std::size_t i = 0; i < velocity_.size(); ++i)
      out.tensors.emplace(groups_[0].names[i] + ".velocity", velocity_[i].clone());
    return out;
  }
  void load(const State& s) override {
    for (std::size_t i = 0; i < velocity_.size(); ++i)
      velocity_[i].copy_(s.tensors.at(groups_[0].names[i] + ".velocity"));
  }

 private:
  std::vector<ParamGroup> groups_;
  std::vector<at::Tensor> velocity_;
};

struct LinearDecay : Schedule {
  double factor(const Progress& p) const override {
    return 1 - static_cast<double>(p.step) / static_cast<double>(p.total_steps());
  }
};

struct TinyTop1 : Metric {
  void reset() override { right = count = 0, indices.clear(); }
  void update(const at::Tensor& scores, const data::Batch& batch) override {
    right += scores.argmax(1).eq(batch.labels).sum().item<std::int64_t>();
    count += batch.size();
    indices.insert(batch.indices.begin(), batch.indices.end());
  }
  std::map<std::string, double> compute() const override {
    return {{"top1", static_cast<double>(right) / static_cast<double>(count)},
            {"count", static_cast<double>(count)},
            {"distinct", static_cast<double>(indices.size())}};
  }
  std::vector<std::string> keys() const override { return {"top1", "count", "distinct"}; }
  std::int64_t right = 0, count = 0;
  std::set<std::size_t> indices;
};

inline void add_small_parts(Registry& r) {
  r.add<Model, TinyModel>("TinyModel", "linear");
  r.add<Dataset, TinyDataset>("TinyDataset", "bright and dark");
  r.add<Optimizer, Momentum>("Momentum", "heavy ball");
  r.add<Schedule, LinearDecay>("LinearDecay", "down to nothing");
  r.add<Metric, TinyTop1>("TinyTop1", "top-1");
}

}  // namespace marey::test
