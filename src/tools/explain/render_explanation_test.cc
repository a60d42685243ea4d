#include "tools/explain/render_explanation.h"

#include "base/golden_file.h"

#include <gtest/gtest.h>

namespace partita::tools {

TEST(RenderExplanation, IsForPeople) {
  run_golden_file(TEST_DATA_DIR "/explanations.txt", [](const std::vector<std::string>& input) {
    const Result<std::string> text = render_explanation(input.at(0));
    return text ? *text : "error: " + text.error().message + "\n";
  });
}

}  // namespace partita::tools
