#pragma once

#include <memory>
#include <utility>

#include <talus/scene/scene.hpp>

namespace talus::python {

/// A scene as it was read, which simulations of it share.
class PyScene {
 public:
  explicit PyScene(scene::Scene scene)
      : scene_(std::make_shared<const scene::Scene>(std::move(scene))) {}
  [[nodiscard]] const scene::Scene& operator*() const { return *scene_; }
  [[nodiscard]] const scene::Scene* operator->() const { return scene_.get(); }

 private:
  std::shared_ptr<const scene::Scene> scene_;
};

}  // namespace talus::python
