// Loads a model and calls it from several threads of the program concurrently. Each thread has its own heddle::Call;
// the tasks of all calls run on the program's thread pool. run.sh builds the program.
// usage: softmax [LIBRARY]; the default of LIBRARY is softmax.so
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <heddle/executors/threads.hpp>
#include <heddle/heddle.hpp>
#include <mutex>
#include <thread>
#include <vector>

// A minimal thread pool: `post` adds a job, which one of the threads runs. A real program can use any thread pool with
// such a function.
class Pool {
public:
  explicit Pool(size_t count) {
    for (size_t i = 0; i < count; ++i)
      threads.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      stop = true;
    }
    wake.notify_all();
    for (std::thread &thread : threads)
      thread.join();
  }
  void post(std::function<void()> job) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      jobs.push_back(std::move(job));
    }
    wake.notify_one();
  }

private:
  void work() {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      wake.wait(lock, [this] { return stop || !jobs.empty(); });
      if (jobs.empty())
        return;
      std::function<void()> job = std::move(jobs.front());
      jobs.pop_front();
      lock.unlock();
      job();
      lock.lock();
    }
  }

  std::mutex mutex;
  std::condition_variable wake;
  std::deque<std::function<void()>> jobs;
  std::vector<std::thread> threads;
  bool stop = false;
};

// Calls the softmax with `rows` rows. Returns the largest difference of a row's sum from 1; 1 if the call fails.
static double worstRow(const heddle::Model &model, int64_t rows, const heddle_executor &executor) {
  heddle::Call call(model);
  std::vector<float> input(size_t(rows) * 1000);
  for (size_t i = 0; i < input.size(); ++i)
    input[i] = float(i % 17) - 8;
  if (!call || call.bind({{"input", input.data(), {rows, 1000}}}) != HEDDLE_OK)
    return 1;
  std::vector<float> out(call.elements("out"));
  if (call.run({{"out", out.data(), call.shape("out")}}, &executor) != HEDDLE_OK) {
    std::fprintf(stderr, "%s\n", call.error());
    return 1;
  }
  double worst = 0;
  for (size_t row = 0; row < size_t(rows); ++row) {
    double sum = 0;
    for (size_t i = 0; i < 1000; ++i)
      sum += out[row * 1000 + i];
    double error = std::abs(sum - 1);
    worst = std::isnan(worst) || error <= worst ? worst : error; // keeps a NaN
  }
  return worst;
}

int main(int argc, char **argv) {
  const heddle::Model model = heddle::Model::load(argc > 1 ? argv[1] : "softmax.so");
  if (!model) {
    std::fprintf(stderr, "%s\n", model.error());
    return 1;
  }
  Pool pool(3); // a call runs on these three threads and on the thread that makes it
  heddle::PoolExecutor executor(4, [&](auto job) { pool.post(job); });
  std::vector<double> worst(3);
  std::vector<std::thread> callers;
  for (size_t i = 0; i < worst.size(); ++i)
    callers.emplace_back([&, i] { worst[i] = worstRow(model, int64_t(1) << (3 * i), executor.get()); });
  for (std::thread &caller : callers)
    caller.join();
  bool good = true;
  for (size_t i = 0; i < worst.size(); ++i) {
    std::printf("%zu rows sum to 1 within 1e-5: %s\n", size_t(1) << (3 * i), worst[i] < 1e-5 ? "yes" : "no");
    good = good && worst[i] < 1e-5;
  }
  return good ? 0 : 1;
}
