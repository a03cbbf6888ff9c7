// C++: threads, a mutex, a class with virtual functions; wrong: a member without the mutex.
#include <mutex>
#include <thread>
#include <vector>

class shape
{
public:
  virtual ~shape() = default;
  virtual int area() const { return size; }
  int size = 1;
};

static std::mutex lock;
static std::vector<int> areas;

int
main()
{
  shape s;
  auto work = [&s] {
#ifndef RIGHT
    s.size++;
#endif
    std::lock_guard<std::mutex> guard(lock);
    areas.push_back(s.area());
  };
  std::thread one(work), two(work);
  one.join();
  two.join();
  return areas.size() != 2;
}
