// SPDX-License-Identifier: Apache-2.0
// Allocates from C++: templates of the standard library and of ours, a constructor, a lambda.
#include <map>
#include <string>
#include <vector>

namespace boxes {

template <typename T> struct Box {
    std::vector<T> items;
    void __attribute__((noinline)) fill(int count)
    {
        for (int i = 0; i < count; i++)
            items.push_back(T(i));
    }
};

class Shelf {
public:
    explicit Shelf(int count);
    std::map<int, std::string> names;
    Box<double> box;
};

Shelf::Shelf(int count)
{
    for (int i = 0; i < count; i++)
        names[i] = std::string(100 + static_cast<unsigned>(i), 'x');
    box.fill(count);
}

} // namespace boxes

extern "C" void *make_shelf(int count)
{
    auto make = [count] { return new boxes::Shelf(count); };
    return make();
}
