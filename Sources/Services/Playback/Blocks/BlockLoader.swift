import Catalogue
import Synchronization
import Timeline

/// Makes blocks of what the catalogue holds.
///
/// States never change under their id: the few that everything refers to are read once.
final class BlockLoader: Sendable {
    private let catalogue: Catalogue
    private let states = Mutex<[Int32: MediaState]>([:])

    init(catalogue: Catalogue) {
        self.catalogue = catalogue
    }

    /// Reads quarters in one go.
    func blocks(_ range: QuarterRange, of rendition: RenditionID) async throws(CatalogueError) -> [Block] {
        let records = try await catalogue.quarters(range)
        let wanted = records.map(Self.states)
        let known = try await known(wanted.reduce(into: []) { $0.formUnion($1) })
        return zip(records, wanted).map { record, wanted in
            Block(record, states: known.filter { wanted.contains($0.key) }, rendition: rendition)
        }
    }

    private static func states(of record: QuarterRecord) -> Set<Int32> {
        var (states, last): (Set<Int32>, Int32?) = ([], nil)
        for segment in record.segments where segment.stateID != last {
            states.insert(segment.stateID)
            last = segment.stateID
        }
        return states
    }

    private func known(_ ids: Set<Int32>) async throws(CatalogueError) -> [Int32: MediaState] {
        let here = states.withLock { states in states.filter { ids.contains($0.key) } }
        let missing = ids.subtracting(here.keys)
        guard !missing.isEmpty else { return here }
        let read = try await catalogue.states(missing)
        states.withLock { states in
            if states.count + read.count > Limits.statesInMind { states.removeAll() }
            states.merge(read) { _, new in new }
        }
        return here.merging(read) { _, new in new }
    }
}
