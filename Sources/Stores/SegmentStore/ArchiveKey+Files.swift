import Timeline

extension ArchiveKey {
    /// The path below the root; fails for a name that is not of the form that its kind has.
    func checkedPath() throws(StoreError) -> String {
        let isValid =
            switch self {
            case .segment(_, _, let name): SegmentName(name.description) == name
            case .initialization(_, _, let name): Self.isInitializationName(name)
            case .key(_, let name): Self.isKeyName(name)
            }
        guard isValid else { throw .invalidKey(self) }
        return path
    }

    /// Only the service itself may read it.
    var isSecret: Bool {
        if case .key = self { true } else { false }
    }

    /// Whether a name determines the bytes, so that a taken name is no conflict.
    var isNamedByDigest: Bool {
        if case .segment = self { false } else { true }
    }

    /// The name for other bytes of the same segment; nil when there is none.
    var nextRevision: ArchiveKey? {
        guard case .segment(let channel, let rendition, var name) = self, name.revision < .max else {
            return nil
        }
        name.revision += 1
        return .segment(channel, rendition, name)
    }
}
