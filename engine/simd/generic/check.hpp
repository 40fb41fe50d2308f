// Validation alone.
inline bool check(const char* data, std::size_t size, std::size_t depth_limit) {
    return json::valid_exactly(data, size, depth_limit);
}
