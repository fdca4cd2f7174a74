extension JSONValue {
    /// This document with a patch applied (RFC 7396 §2): null removes a member, what is no object replaces.
    func merging(_ patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var members: [Member] = []
        if case .object(let own) = self { members = own }
        for change in changes {
            let index = members.firstIndex { $0.name == change.name }
            if change.value == .null {
                if let index { members.remove(at: index) }
            } else if let index {
                members[index].value = members[index].value.merging(change.value)
            } else {
                members.append(Member(name: change.name, value: JSONValue.null.merging(change.value)))
            }
        }
        return .object(members)
    }
}

/// What a merge patch means for a channel.
enum ChannelPatch {
    /// Fields in which null is a value, not a deletion: a channel that is told to keep for ever must not fall back to
    /// a default that deletes.
    private static let nullable = "retention_seconds"

    /// The channel's document after the patch; `source_url` takes the place of the sources.
    static func applied(_ patch: JSONValue, to document: JSONValue) throws(Problem) -> JSONValue {
        guard case .object(let changes) = patch else {
            throw .invalid([Fault(.root, "must be an object, not \(patch.typeName)")])
        }
        var base = document
        if let single = patch["source_url"], single != .null, patch["sources"] == nil {
            base = base.merging(["sources": nil])
        }
        var merged = base.merging(patch)
        let keepsForEver = changes.contains { $0.name == nullable && $0.value == .null }
        if keepsForEver, case .object(let members) = merged {
            merged = .object(members + [.init(name: nullable, value: .null)])
        }
        return merged
    }
}
