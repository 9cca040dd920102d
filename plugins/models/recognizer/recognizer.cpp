#include "recognizer.hpp"

#include <marey/core/error.hpp>

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/softmax.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <algorithm>

namespace marey {

namespace {

// Under autocast the first convolution would cast its input: better to make it in that type at once.
at::ScalarType input_type(const at::Tensor& pixels) {
  const auto device = pixels.device().type();
  return at::autocast::is_autocast_enabled(device) ? at::autocast::get_autocast_dtype(device) : at::kFloat;
}

// Share of the labelled clips whose best class is the label.
at::Tensor top1(const at::Tensor& scores, const at::Tensor& labels) {
  const at::Tensor labelled = labels.ge(0);
  return scores.argmax(1).eq(labels).logical_and(labelled).sum().to(at::kFloat) / labelled.sum();
}

}  // namespace

Schema<Recognizer::Params> Recognizer::schema() {
  using P = Params;
  return Schema<P>{}
      .arg<&P::backbone>({.doc = "turns clips into features", .required = true})
      .arg<&P::head>({.doc = "turns features into class scores", .required = true})
      .arg<&P::loss>({.doc = "compares scores with labels", .required = true})
      .arg<&P::preprocess>({.doc = "how pixels become the network's input"})
      .arg<&P::merge>({.doc = "how the views of a video become one result: the mean of their probabilities, "
                              "or the probabilities of their mean score"})
      .arg<&P::clips_at_once>({.doc = "prediction takes at most this many clips through the network at once, "
                                      "to bound memory; 0: the whole batch",
                               .min = 0});
}

Recognizer::Recognizer(Params p)
    : normalization_(p.preprocess), merge_(p.merge), clips_at_once_(p.clips_at_once), loss_(p.loss.make()) {
  backbone_ = register_module("backbone", p.backbone.make());
  head_ = register_module("head", p.head.make());
  head_->connect(backbone_->out_channels());
}

at::Tensor Recognizer::logits(const at::Tensor& pixels) {
  return head_->forward(backbone_->forward(preprocess(pixels, normalization_, input_type(pixels))));
}

TrainOutput Recognizer::train_step(const data::Batch& batch) {
  if (batch.size() == 0) throw DataError("Recognizer: the batch is empty");
  const std::int64_t videos = batch.size(), views = batch.pixels.size(1);
  const at::Tensor scores = logits(batch.pixels);
  TrainOutput out;
  out.loss = loss_->forward(scores, views == 1 ? batch.labels : batch.labels.repeat_interleave(views, 0));
  out.scores = scores.detach().to(at::kFloat);
  if (views > 1) out.scores = out.scores.view({videos, views, -1}).mean(1);
  if (!batch.labels.is_floating_point()) out.terms.emplace_back("top1", top1(out.scores, batch.labels));
  return out;
}

at::Tensor Recognizer::predict(const data::Batch& batch) {
  if (batch.size() == 0) throw DataError("Recognizer: the batch is empty");
  const at::Tensor& pixels = batch.pixels;
  const std::int64_t videos = pixels.size(0), views = pixels.size(1), clips = videos * views;
  const std::int64_t chunk = clips_at_once_ > 0 ? std::min(clips_at_once_, clips) : clips;
  at::Tensor merged;
  {
    const c10::InferenceMode inference;
    std::vector<at::Tensor> scores;
    const at::Tensor flat = pixels.flatten(0, 1).unsqueeze(0);  // [1, N·V, C, T, H, W]
    for (std::int64_t begin = 0; begin < clips; begin += chunk)
      scores.push_back(logits(flat.narrow(1, begin, std::min(chunk, clips - begin))).to(at::kFloat));
    const at::Tensor all = (scores.size() == 1 ? scores[0] : at::cat(scores)).view({videos, views, -1});
    merged = merge_ == ViewMerge::probability ? at::softmax(all, 2).mean(1) : at::softmax(all.mean(1), 1);
  }
  return merged.clone();  // an ordinary tensor again, which callers may change
}

}  // namespace marey
