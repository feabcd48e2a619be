#pragma once

#include <algorithm>
#include <array>
#include <barrier>
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

#include <talus/distribute/ranks.hpp>

namespace talus::test {

/// Ranks that are threads of one process: what is shared is seen without MPI.
class ThreadRanks {
 public:
  explicit ThreadRanks(int count)
      : barrier_(count), pieces_(static_cast<std::size_t>(count)), numbers_(pieces_.size()) {
    for (int r = 0; r < count; ++r) ranks_.push_back(std::make_unique<One>(*this, r));
  }

  /// Calls work(rank) on a thread for each rank, which shares its work with the others.
  template <class Work>
  void run(const Work& work) {
    std::vector<std::thread> threads;
    for (const std::unique_ptr<One>& one : ranks_)
      threads.emplace_back([&] {
        const distribute::Sharing sharing(*one);
        work(one->rank());
      });
    for (std::thread& thread : threads) thread.join();
  }

  [[nodiscard]] const distribute::Work& work(int rank) {
    return ranks_[static_cast<std::size_t>(rank)]->work();
  }

 private:
  class One;

  /// Messages under way, by their set of lines, ranks and tag.
  using Address = std::tuple<Index, int, int, int>;
  static constexpr std::size_t kLetters = 4;
  /// Letters of one address in the order in which they were sent; no memory is taken for a letter.
  struct Box {
    std::array<std::vector<Real>, kLetters> letters;
    std::size_t first = 0, count = 0;
  };

  class ThreadLines : public distribute::Lines {
   public:
    ThreadLines(ThreadRanks& all, One& own, Index set) : all_(all), own_(own), set_(set) {}
    Index add_outgoing(int to, int tag, std::span<const Real> buffer) override {
      return add({{set_, own_.rank(), to, tag}, buffer, {}}, buffer.size());
    }
    Index add_incoming(int from, int tag, std::span<Real> buffer) override {
      return add({{set_, from, own_.rank(), tag}, {}, buffer}, buffer.size());
    }
    void start(Index line) override {
      const Line& one = lines_[static_cast<std::size_t>(line)];
      if (one.outgoing.empty()) return;
      ++own_.work().sent_messages;
      own_.work().sent_bytes += static_cast<double>(one.outgoing.size_bytes());
      std::unique_lock lock(all_.mutex_);
      Box& box = all_.mail_[one.address];
      all_.has_mail_.wait(lock, [&] { return box.count < kLetters; });
      std::vector<Real>& letter = box.letters[(box.first + box.count++) % kLetters];
      std::copy(one.outgoing.begin(), one.outgoing.end(), letter.begin());
      all_.has_mail_.notify_all();
    }
    void wait(Index line) override {
      const Line& one = lines_[static_cast<std::size_t>(line)];
      if (one.incoming.empty()) return;
      std::unique_lock lock(all_.mutex_);
      Box& box = all_.mail_[one.address];
      all_.has_mail_.wait(lock, [&] { return box.count > 0; });
      std::copy_n(box.letters[box.first].begin(), one.incoming.size(), one.incoming.begin());
      box.first = (box.first + 1) % kLetters;
      --box.count;
      all_.has_mail_.notify_all();
    }

   private:
    struct Line {
      Address address;
      std::span<const Real> outgoing;
      std::span<Real> incoming;
    };
    Index add(const Line& line, std::size_t size) {
      const std::lock_guard lock(all_.mutex_);
      for (std::vector<Real>& letter : all_.mail_[line.address].letters)
        letter.resize(std::max(letter.size(), size));
      lines_.push_back(line);
      return static_cast<Index>(lines_.size()) - 1;
    }
    ThreadRanks& all_;
    One& own_;
    Index set_;
    std::vector<Line> lines_;
  };

  class One : public distribute::Ranks {
   public:
    One(ThreadRanks& all, int rank) : all_(all), rank_(rank) {}
    [[nodiscard]] int count() const override { return static_cast<int>(all_.pieces_.size()); }
    [[nodiscard]] int rank() const override { return rank_; }
    void gather(std::span<std::byte> all, std::span<const std::size_t> begin) override {
      all_.pieces_[static_cast<std::size_t>(rank_)] = all.data();
      all_.barrier_.arrive_and_wait();
      for (std::size_t r = 0; r < all_.pieces_.size(); ++r)
        if (r != static_cast<std::size_t>(rank_) && begin[r + 1] > begin[r])
          std::memcpy(all.data() + begin[r], all_.pieces_[r] + begin[r], begin[r + 1] - begin[r]);
      all_.barrier_.arrive_and_wait();
    }
    void take_largest(std::span<Real> numbers) override {
      all_.numbers_[static_cast<std::size_t>(rank_)].assign(numbers.begin(), numbers.end());
      all_.barrier_.arrive_and_wait();
      for (const std::vector<Real>& other : all_.numbers_)
        for (std::size_t i = 0; i < other.size(); ++i) numbers[i] = std::max(numbers[i], other[i]);
      all_.barrier_.arrive_and_wait();
    }
    [[nodiscard]] std::unique_ptr<distribute::Lines> lines() override {
      return std::make_unique<ThreadLines>(all_, *this, sets_++);
    }

   protected:
    [[nodiscard]] std::vector<std::uint64_t> meet(std::uint64_t own, double) override {
      return numbers(own);
    }
    void break_off(int) override {}

   private:
    ThreadRanks& all_;
    int rank_;
    Index sets_ = 0;
  };

  std::barrier<> barrier_;
  std::vector<std::byte*> pieces_;
  std::vector<std::vector<Real>> numbers_;
  std::vector<std::unique_ptr<One>> ranks_;
  std::mutex mutex_;
  std::condition_variable has_mail_;
  std::map<Address, Box> mail_;
};

}  // namespace talus::test
