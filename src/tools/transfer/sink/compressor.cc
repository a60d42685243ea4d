#include "tools/transfer/sink/output_file.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <array>

namespace partita::tools::transfer {
namespace {

constexpr size_t kOutputBytes = 64 << 10;

class GzipCompressor : public Compressor {
 public:
  GzipCompressor() {
    constexpr int kGzipWindow = 15 + 16;  // as large as there is; 16 means the format of gzip
    constexpr int kMemoryLevel = 8;
    is_ready_ =
        ::deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~GzipCompressor() override {
    if (is_ready_) (void)::deflateEnd(&stream_);
  }
  GzipCompressor(const GzipCompressor&) = delete;
  GzipCompressor& operator=(const GzipCompressor&) = delete;

  Status add(std::string_view text, std::string& out) override {
    if (text.empty()) return {};
    has_member_ = true;
    return run(text, Z_NO_FLUSH, out);
  }
  Status end_member(std::string& out) override {
    if (!has_member_) return {};
    has_member_ = false;
    TRY(run({}, Z_FINISH, out));
    (void)::deflateReset(&stream_);
    return {};
  }

 private:
  Status run(std::string_view text, int flush, std::string& out) {
    if (!is_ready_) return fail(ErrorCode::kUnavailable, "no memory to compress");
    std::array<char, kOutputBytes> piece;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream_.avail_in = static_cast<uInt>(text.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_out = static_cast<uInt>(piece.size());
      if (::deflate(&stream_, flush) == Z_STREAM_ERROR) return fail(ErrorCode::kInternal, "gzip refuses to compress");
      out.append(piece.data(), piece.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
    return {};
  }

  z_stream stream_{};
  bool is_ready_ = false;
  bool has_member_ = false;
};

class ZstdCompressor : public Compressor {
 public:
  ZstdCompressor() : context_(::ZSTD_createCCtx(), ::ZSTD_freeCCtx) {
    if (context_) (void)::ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  Status add(std::string_view text, std::string& out) override {
    if (text.empty()) return {};
    has_member_ = true;
    return run(text, ZSTD_e_continue, out);
  }
  Status end_member(std::string& out) override {
    if (!has_member_) return {};
    has_member_ = false;
    return run({}, ZSTD_e_end, out);
  }

 private:
  Status run(std::string_view text, ZSTD_EndDirective directive, std::string& out) {
    if (!context_) return fail(ErrorCode::kUnavailable, "no memory to compress");
    std::array<char, kOutputBytes> piece;
    ZSTD_inBuffer in{text.data(), text.size(), 0};
    size_t left = 0;
    do {
      ZSTD_outBuffer written{piece.data(), piece.size(), 0};
      left = ::ZSTD_compressStream2(context_.get(), &written, &in, directive);
      if (::ZSTD_isError(left) != 0) return fail(ErrorCode::kInternal, fmt::format("zstd: {}", ::ZSTD_getErrorName(left)));
      out.append(piece.data(), written.pos);
    } while (in.pos < in.size || (directive == ZSTD_e_end && left > 0));
    return {};
  }

  std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context_;
  bool has_member_ = false;
};

}  // namespace

std::unique_ptr<Compressor> make_compressor(Compression compression) {
  switch (compression) {
    case Compression::kNone: return nullptr;
    case Compression::kGzip: return std::make_unique<GzipCompressor>();
    case Compression::kZstd: return std::make_unique<ZstdCompressor>();
  }
  return nullptr;
}

}  // namespace partita::tools::transfer
