// Test room threads: a body goes in and runs in several threads that all begin at the same time.

#ifndef POSENC_TESTS_IN_THREADS_H_
#define POSENC_TESTS_IN_THREADS_H_

#include <barrier>
#include <cstddef>
#include <thread>
#include <vector>

namespace posenc::test {

inline constexpr std::size_t kThreads = 8;

// Runs body(t) in kThreads threads that all wait for each other first.
template <class Body>
void InThreads(Body body) {
  std::barrier<> all(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      all.arrive_and_wait();
      body(t);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace posenc::test

#endif  // POSENC_TESTS_IN_THREADS_H_
