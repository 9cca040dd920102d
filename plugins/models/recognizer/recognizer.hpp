// A model that gives each video one label.
#pragma once
#include <marey/core/part.hpp>
#include <marey/model/backbone.hpp>
#include <marey/model/head.hpp>
#include <marey/model/loss.hpp>
#include <marey/model/model.hpp>
#include <marey/model/preprocess.hpp>

#include <array>
#include <memory>
#include <string>
#include <utility>

namespace marey {

enum class ViewMerge { probability, score };
template <>
struct EnumNames<ViewMerge> {
  static constexpr std::array names{std::pair{ViewMerge::probability, "probability"},
                                    std::pair{ViewMerge::score, "score"}};
};

// Names of the state: backbone.*, head.*.
class Recognizer : public Model {
 public:
  struct Params {
    Part<Backbone> backbone;
    Part<Head> head;
    Part<Loss> loss;
    Normalization preprocess;
    ViewMerge merge = ViewMerge::probability;
    std::int64_t clips_at_once = 0;
  };
  static Schema<Params> schema();

  explicit Recognizer(Params);
  TrainOutput train_step(const data::Batch&) override;
  at::Tensor predict(const data::Batch&) override;
  std::int64_t num_classes() const override { return head_->num_classes(); }
  std::string refuses(std::int64_t frames, std::int64_t height, std::int64_t width) const override {
    return backbone_->refuses(frames, height, width);
  }

 private:
  at::Tensor logits(const at::Tensor& pixels);  // uint8 [N, V, C, T, H, W] → [N·V, K]

  Normalization normalization_;
  ViewMerge merge_;
  std::int64_t clips_at_once_;
  std::shared_ptr<Backbone> backbone_;
  std::shared_ptr<Head> head_;
  std::shared_ptr<Loss> loss_;
};

}  // namespace marey
