import Timeline

/// Closes a presentation that has ended, or a live one that is stopped.
extension TaskRunner {
    /// Whether a recording that is stopped can be closed with what is there.
    ///
    /// Something of each rendition must be there, and before the last part no more parts may be missing than
    /// transfers run at once. After a seek more are missing: a paused recording can still fetch them.
    var isClosable: Bool {
        let missing = plans.reduce(0) { $0 + $1.missingIndices.count }
        return plans.contains(where: \.hasMedia) && plans.allSatisfy { $0.hasMedia || $0.isSettled }
            && missing <= max(tools.options.parallel, 1)
    }

    /// Ends each rendition after what it has, and writes the playlists of a whole presentation.
    ///
    /// If it was stopped, parts that are missing before others become gaps.
    func closeLive() async throws(DownloadError) {
        stored.task.notes = notes
        for index in plans.indices { plans[index].close(at: liveLimit) }
        countParts()
        try await writePlaylists(isClosed: true)
        for plan in plans { try await folder.removeDrafts(in: plan.id.description) }
        try await folder.sync(plans.map(\.id.description) + (keyNames.isEmpty || storesClear ? [] : ["keys"]))
    }

    /// Notes about a complete presentation: what is missing, and where the channel continues.
    private var notes: [String]? {
        // The service's figures are for the whole window.
        let headers = isLive || request.range != nil ? nil : windowHeaders
        let end = liveLimit ?? .infinity
        var notes: [String] = []
        let gaps = plans.map { $0.gapSeconds(before: end) }.max() ?? 0
        if let text = Self.text(max(gaps, headers?.missingSeconds ?? 0)) {
            notes.append("\(text) of it are missing at the source")
        }
        if let text = Self.text(plans.map { $0.missingSeconds(before: end) }.max() ?? 0) {
            notes.append("\(text) of it had not come when it was stopped")
        }
        if let next = headers?.next {
            notes.append("the channel goes on in another form at \(next): take the rest with --begin \(next)")
        }
        return notes.isEmpty ? nil : notes
    }

    /// Seconds as people read them; nil for less than a tenth.
    private static func text(_ seconds: Double) -> String? {
        guard seconds >= 0.05 else { return nil }
        let tenths = Int((seconds * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
}
