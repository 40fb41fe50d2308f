#include "extract/block_packer.hpp"

#include <new>
#include <system_error>
#include <utility>

#include "extract/block.hpp"

namespace kumihimo::inline v0::extract {

block_packer::block_packer(block_options how, unsigned threads) : how_(std::move(how)) {
    if (how_.frame == nullptr) return;
    if (how_.level == frame::usual_level) how_.level = how_.frame->archival;
    threads_.reserve(threads);
    for (unsigned i = 0; i < threads; ++i) {
        try {
            threads_.emplace_back([this] { serve(); });
        } catch (const std::system_error&) {
            break;
        }
    }
}

block_packer::~block_packer() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    work_.notify_all();
    for (std::thread& t : threads_) t.join();
}

void block_packer::add(bytes text, const document_list& documents) {
    std::size_t at = 0, first = 0;  // what is not yet copied begins here
    const auto copy_to = [&](std::size_t end) {
        if (!gathered_->text.append(text.data() + first, end - first)) throw std::bad_alloc();
        first = end;
    };
    for (std::size_t i = 0; i < documents.size(); ++i) {
        const auto n = static_cast<std::size_t>(documents.length(i));
        if (gathered_ != nullptr && gathered_->documents.size() != 0) {
            const std::size_t names = gathered_->documents.bytes_of_names();
            const origin from = documents.from(i);
            if (gathered_->text.size() + (at - first) + names + n > how_.size ||
                names + from.archive.size() + from.entry.size() > block_options::most_names ||
                gathered_->documents.size() == block_options::most_documents) {
                copy_to(at);
                dispatch();
            }
        }
        if (gathered_ == nullptr) {
            if (spare_.empty()) spare_.push_back(std::make_unique<job>());
            gathered_ = std::move(spare_.back());
            spare_.pop_back();
        }
        gathered_->documents.add(n, documents.from(i));
        at += n;
    }
    if (gathered_ != nullptr) copy_to(at);
}

void block_packer::finish() {
    if (gathered_ == nullptr && begun_) return;
    if (gathered_ == nullptr) gathered_ = std::make_unique<job>();
    dispatch();
}

void block_packer::dispatch() {
    job& j = *gathered_;
    j.first = !std::exchange(begun_, true);
    j.said = errc::ok;
    if (threads_.empty()) {
        pack(j);
        j.done = true;
    }
    {
        const std::lock_guard lock(mutex_);
        blocks_.push_back(std::move(gathered_));
    }
    work_.notify_one();
}

void block_packer::pack(job& j) const noexcept {
    if (how_.frame == nullptr) {
        std::swap(j.text, j.packed);
        return;
    }
    context ctx;
    const bytes text{reinterpret_cast<const unsigned char*>(j.text.data()), j.text.size()};
    const bytes start = j.first ? block_file_start(*how_.frame) : bytes();
    try {
        if (!j.packed.append(start.data(), start.size())) throw std::bad_alloc();
        // Without a document the start is all, but where it is nothing.
        if (j.documents.size() != 0)
            j.said = write_block(*how_.frame, how_.level, how_.to->format(), text, j.documents, j.packed, ctx);
        else if (start.empty())
            j.said = frame::pack(*how_.frame, text, j.packed, how_.level, ctx);
    } catch (const std::bad_alloc&) {
        j.said = errc::memory;
    }
    j.why = ctx.failure;
}

void block_packer::serve() noexcept {
    std::unique_lock lock(mutex_);
    for (;;) {
        work_.wait(lock, [&] { return ended_ || started_ < blocks_.size(); });
        if (ended_) return;
        job& mine = *blocks_[started_++];
        lock.unlock();
        pack(mine);
        lock.lock();
        mine.done = true;
        done_.notify_one();
    }
}

progress block_packer::take(buffer& out, std::chrono::milliseconds patience, context& ctx) {
    std::unique_lock lock(mutex_);
    if (blocks_.empty()) return progress::end;
    if (!done_.wait_for(lock, patience, [&] { return blocks_.front()->done; })) return progress::waiting;
    std::unique_ptr<job> j = std::move(blocks_.front());
    blocks_.pop_front();
    if (started_ != 0) --started_;
    lock.unlock();
    if (j->said != errc::ok) {
        if (j->said == errc::memory) throw std::bad_alloc();
        ctx.fail(j->said, j->why.offset, j->why.what);
        return progress::ready;
    }
    std::swap(out, j->packed);
    j->packed.clear();
    j->text.clear();
    j->documents.clear();
    j->done = false;
    spare_.push_back(std::move(j));
    return progress::ready;
}

}  // namespace kumihimo::inline v0::extract
