import Synchronization

extension MetricsRegistry {
    /// The media type of `prometheusText()`.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Every series in the Prometheus text format 0.0.4: families by name, series by labels.
    ///
    /// Sorts all series; call it where waiting is allowed.
    package func prometheusText() -> [UInt8] {
        let (families, collectors, lineCount) = state.withLock { ($0.families, $0.collectors, $0.lineCount) }
        var room = seriesLimit - lineCount
        var blocks: [String: String] = [:]
        for (name, family) in families { blocks[name] = block(name, family) }
        for (name, collector) in collectors.sorted(by: { $0.key < $1.key }) {
            guard families[name] == nil, let text = collected(name, collector, room: &room) else { continue }
            blocks[name] = text
        }
        blocks[Self.refusedName] = refusedBlock()
        return Array(blocks.sorted { $0.key < $1.key }.map(\.value).joined().utf8)
    }

    private func block(_ name: String, _ family: MetricFamily) -> String {
        var text = head(name, family.kind)
        family.write(name: name, to: &text)
        return text
    }

    /// Empty when the collector has no values.
    private func collected(_ name: String, _ collector: ScrapeCollector, room: inout Int) -> String? {
        let (lines, written, refused) = collector.lines(name: name, limit: room)
        room -= written
        if refused > 0 { state.withLock { $0.refusedCount &+= UInt64(refused) } }
        return written == 0 ? nil : head(name, collector.kind) + lines
    }

    private func head(_ name: String, _ kind: MetricKind) -> String {
        let help = state.withLock { $0.descriptions[name] }.map { "# HELP \(name) \($0.text)\n" }
        return (help ?? "") + "# TYPE \(name) \(kind.rawValue)\n"
    }

    private func refusedBlock() -> String {
        let name = Self.refusedName
        let count = state.withLock { $0.refusedCount }
        return
            "# HELP \(name) Series that were not shown: the bound was reached or the name had another kind.\n"
            + "# TYPE \(name) counter\n\(name) \(count)\n"
    }
}
