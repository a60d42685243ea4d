#include "tools/transfer/source/byte_source.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <vector>

namespace partita::tools::transfer {
namespace {

constexpr size_t kInputBytes = 64 << 10;
constexpr std::string_view kGzipMagic = "\x1F\x8B";
constexpr std::string_view kZstdMagic = "\x28\xB5\x2F\xFD";
constexpr int kGzipWindow = 15 + 16;  // as large as there is; 16 means the format of gzip
// What a frame may ask this program to keep, as a power of two: 128 MB.
constexpr int kZstdWindowLogMax = 27;

// RestoredSource: what was looked at, then the rest.
class RestoredSource : public ByteSource {
 public:
  RestoredSource(std::string head, std::unique_ptr<ByteSource> rest) : head_(std::move(head)), rest_(std::move(rest)) {}

  Result<size_t> read(std::span<char> into) override {
    if (head_.empty()) return rest_->read(into);
    const size_t bytes = std::min(into.size(), head_.size());
    std::copy_n(head_.data(), bytes, into.data());
    head_.erase(0, bytes);
    return bytes;
  }

 private:
  std::string head_;
  std::unique_ptr<ByteSource> rest_;
};

// CompressedInput: a window of compressed bytes.
class CompressedInput {
 public:
  CompressedInput(std::unique_ptr<ByteSource> source, std::string name) : source_(std::move(source)), name_(std::move(name)) {}

  // Whether there are bytes.
  Result<bool> fill() {
    if (at_ < end_) return true;
    TRY_ASSIGN(end_, source_->read(bytes_));
    at_ = 0;
    return end_ > 0;
  }
  const char* data() const { return bytes_.data() + at_; }
  size_t size() const { return end_ - at_; }
  void consume(size_t bytes) { at_ += bytes; }

  std::unexpected<Error> damaged(std::string_view why) const {
    return fail(ErrorCode::kInvalidInput, fmt::format("{} is damaged: {}", name_, why));
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::string name_;
  std::vector<char> bytes_ = std::vector<char>(kInputBytes);
  size_t at_ = 0;
  size_t end_ = 0;
};

class GzipSource : public ByteSource {
 public:
  explicit GzipSource(CompressedInput input) : input_(std::move(input)) {
    is_ready_ = ::inflateInit2(&stream_, kGzipWindow) == Z_OK;
  }
  ~GzipSource() override {
    if (is_ready_) (void)::inflateEnd(&stream_);
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  Result<size_t> read(std::span<char> into) override {
    if (!is_ready_) return fail(ErrorCode::kUnavailable, "no memory to decompress");
    while (true) {
      TRY_ASSIGN(const bool has_input, input_.fill());
      if (!has_input && !is_between_members_) return input_.damaged("the compressed data ends too early");
      if (!has_input) return size_t{0};
      TRY_ASSIGN(const size_t bytes, inflate_into(into));
      if (bytes > 0) return bytes;
    }
  }

 private:
  Result<size_t> inflate_into(std::span<char> into) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input_.data()));
    stream_.avail_in = static_cast<uInt>(input_.size());
    stream_.next_out = reinterpret_cast<Bytef*>(into.data());
    stream_.avail_out = static_cast<uInt>(into.size());
    is_between_members_ = false;
    const int state = ::inflate(&stream_, Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR)
      return input_.damaged(stream_.msg == nullptr ? "it is not gzip" : stream_.msg);
    input_.consume(input_.size() - stream_.avail_in);
    if (state == Z_STREAM_END) {
      is_between_members_ = true;
      (void)::inflateReset(&stream_);
    }
    return into.size() - stream_.avail_out;
  }

  CompressedInput input_;
  z_stream stream_{};
  bool is_ready_ = false;
  bool is_between_members_ = true;
};

class ZstdSource : public ByteSource {
 public:
  explicit ZstdSource(CompressedInput input) : input_(std::move(input)), context_(::ZSTD_createDCtx(), ::ZSTD_freeDCtx) {
    if (context_) (void)::ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kZstdWindowLogMax);
  }

  Result<size_t> read(std::span<char> into) override {
    if (!context_) return fail(ErrorCode::kUnavailable, "no memory to decompress");
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    while (out.pos == 0) {
      TRY_ASSIGN(const bool has_input, input_.fill());
      // What was taken in already may still have to come out.
      ZSTD_inBuffer in{has_input ? input_.data() : nullptr, has_input ? input_.size() : 0, 0};
      if (!has_input && is_between_frames_) return size_t{0};
      const size_t state = ::ZSTD_decompressStream(context_.get(), &out, &in);
      if (::ZSTD_isError(state) != 0) return input_.damaged(::ZSTD_getErrorName(state));
      input_.consume(in.pos);
      is_between_frames_ = state == 0;
      if (!has_input && out.pos == 0 && !is_between_frames_) return input_.damaged("the compressed data ends too early");
    }
    return out.pos;
  }

 private:
  CompressedInput input_;
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context_;
  bool is_between_frames_ = true;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> source, const std::string& name) {
  std::string head;
  std::array<char, kZstdMagic.size()> piece{};
  while (head.size() < piece.size()) {
    TRY_ASSIGN(const size_t bytes, source->read(std::span(piece).first(piece.size() - head.size())));
    if (bytes == 0) break;
    head.append(piece.data(), bytes);
  }
  const bool is_gzip = head.starts_with(kGzipMagic);
  const bool is_zstd = head.starts_with(kZstdMagic);
  auto whole = std::make_unique<RestoredSource>(std::move(head), std::move(source));
  if (is_gzip) return std::make_unique<GzipSource>(CompressedInput(std::move(whole), name));
  if (is_zstd) return std::make_unique<ZstdSource>(CompressedInput(std::move(whole), name));
  return whole;
}

}  // namespace partita::tools::transfer
