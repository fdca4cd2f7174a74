import Catalogue
import Synchronization
import Timeline

/// Reads blocks from the catalogue.
///
/// A format never changes under its id, so formats are read once and kept.
final class BlockLoader: Sendable {
    private let catalogue: Catalogue
    private let formats = Mutex<[Int32: SegmentFormat]>([:])

    init(catalogue: Catalogue) {
        self.catalogue = catalogue
    }

    /// Reads consecutive quarters with one query.
    func blocks(_ range: QuarterRange, of rendition: RenditionID) async throws(CatalogueError) -> [Block] {
        let records = try await catalogue.quarters(range)
        let wanted = records.map(Self.formats)
        let known = try await known(wanted.reduce(into: []) { $0.formUnion($1) })
        return zip(records, wanted).map { record, wanted in
            Block(record, formats: known.filter { wanted.contains($0.key) }, rendition: rendition)
        }
    }

    private static func formats(of record: QuarterRecord) -> Set<Int32> {
        var (formats, last): (Set<Int32>, Int32?) = ([], nil)
        // A quarter may have a thousand segments: none is copied.
        for segments in [record.segments, record.repaired ?? []] {
            for index in segments.indices where segments[index].formatID != last {
                formats.insert(segments[index].formatID)
                last = segments[index].formatID
            }
        }
        return formats
    }

    private func known(_ ids: Set<Int32>) async throws(CatalogueError) -> [Int32: SegmentFormat] {
        let here = formats.withLock { formats in formats.filter { ids.contains($0.key) } }
        let missing = ids.subtracting(here.keys)
        guard !missing.isEmpty else { return here }
        let read = try await catalogue.formats(missing)
        formats.withLock { formats in
            if formats.count + read.count > Limits.cachedFormats { formats.removeAll() }
            formats.merge(read) { _, new in new }
        }
        return here.merging(read) { _, new in new }
    }
}
