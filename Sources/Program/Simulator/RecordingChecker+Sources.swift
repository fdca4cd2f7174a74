import Timeline

/// Several sources.
extension RecordingChecker {
    /// Until when the first source is in use: nothing has been wrong with it by then.
    var firstIsUsedUntil: Instant {
        guard encoders.count > 1 else { return Instant(microseconds: .max) }
        let faults = scenario.faults.filter { $0.place == 0 && $0.kind.affectsSource }
        return faults.map(\.span.begin).min() ?? scenario.end
    }

    /// The faults that may do something to what is recorded while the first source is in use.
    var faultsOfFirst: [Fault] { scenario.faults.filter { $0.place == 0 || !$0.kind.affectsSource } }

    /// The segments of the first source that are held, or whose time another source has filled.
    func heldOfFirst(_ rows: [SimulatedCatalogue.Row], of id: RenditionID) -> Set<Int> {
        let sources = rows.indices.map { Media.source(rows[$0].fact.digest) }
        let own = sources.lazy.filter { $0.source == 0 }.map(\.index)
        let others = sources.filter { $0.source != 0 }.map { source, index in
            let begin = encoders[source].begin(of: index, id)
            return TimeWindow(begin: begin, end: begin + encoders[source].segments[index].duration)
        }.sorted { $0.begin < $1.begin }
        guard !others.isEmpty else { return Set(own) }
        let filled = encoders[0].segments.indices.filter { index in
            let begin = encoders[0].begin(of: index, id)
            let middle = begin + encoders[0].segments[index].duration / 2
            let next = others.partitioningIndex { $0.end > middle }
            return next < others.count && others[next].begin <= middle
        }
        return Set(own).union(filled)
    }
}

extension Fault.Kind {
    /// Whether it affects a source, and not a node, a disk or PostgreSQL.
    var affectsSource: Bool {
        switch self {
        case .sourceUnreachable, .restart, .ended, .jump, .missing, .partial, .slow, .stale, .latePlaylists,
            .repeated,
            .damaged, .keyServerUnreachable, .wrongKey, .gap, .dateJump, .cut:
            true
        case .clockStep, .catalogueUnreachable, .answersLost, .catalogueSlow, .diskFull, .killed, .frozen,
            .nodeDisconnected,
            .refused:
            false
        }
    }
}
