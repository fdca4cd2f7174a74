import Synchronization

/// What was wrong when it was last looked at, by name, so that it is reported once.
final class KnownFaults: Sendable {
    private let known = Mutex<[String: String]>([:])

    /// Takes what is wrong now; what of it was not wrong in the same words before, in order of the names.
    func news(in faults: [String: String]) -> [(name: String, fault: String)] {
        known.withLock { known in
            defer { known = faults }
            return faults.filter { known[$0.key] != $0.value }.sorted { $0.key < $1.key }
                .map { (name: $0.key, fault: $0.value) }
        }
    }
}
