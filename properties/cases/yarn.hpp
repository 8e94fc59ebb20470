// Angles of rotary embedding as Kimi K2 stretches them (YaRN): theta 50000, factor 32 over 4096 original positions, beta_fast and
// beta_slow 1, mscale 1. Source: moonshotai/Kimi-K2-Instruct config.json and modeling_deepseek.py at fd1984e2b7a3, its
// DeepseekV3YarnRotaryEmbedding: frequencies and angles in float32, cosines of the float32 angle.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace ulpgate {

std::vector<float> yarn_frequencies(std::int64_t rope);
// row: rope/2 cosines, then rope/2 sines.
void yarn_angles(std::int64_t position, std::span<float> row);

}  // namespace ulpgate
