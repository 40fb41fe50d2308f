// Projection at the three levels.
inline bool project_strict(const json::plan& p, const char* data, std::size_t size, json::harvest& h) {
    return json::project_exactly(p, data, size, h);
}
inline bool project_structural(const json::plan& p, const char* data, std::size_t size, json::harvest& h) {
    return json::project_exactly(p, data, size, h);
}
inline bool project_trusted(const json::plan& p, const char* data, std::size_t size, json::harvest& h) {
    return json::project_exactly(p, data, size, h);
}
