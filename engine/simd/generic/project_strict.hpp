// Projection of a document that is checked in full.
inline bool project_strict(const json::plan& p, const char* data, std::size_t size, json::harvest& h) {
    return json::project_exactly(p, data, size, h);
}
