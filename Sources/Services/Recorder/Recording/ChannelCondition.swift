import Catalogue
import Concurrency
import Monitoring
import Timeline

/// What is wrong with a channel, as its status reports it.
///
/// Decides only; it has no clock.
struct ChannelCondition: Sendable {
    /// The source as a whole does not deliver.
    private(set) var outage: GapReason?
    /// What is wrong with single renditions while the source as a whole delivers.
    private var failures: [RenditionID: String] = [:]
    /// Renditions whose playlists have ended.
    private var ended: Set<RenditionID> = []
    /// Why the newest segments do not come, until one does.
    private var refusal: String?
    private var detail: String?
    /// Why the last try for a segment failed, until one succeeds.
    private var failing: GapReason?
    /// When the bytes of a segment were last stored.
    private var lastStored: SteadyInstant?
    /// When this process took the channel.
    private let startedAt: Moment
    /// Something was published before this process took the channel.
    private let hasPast: Bool

    init(startedAt: Moment, hasPast: Bool) {
        (self.startedAt, self.hasPast) = (startedAt, hasPast)
    }

    /// Why time may be missing before what a playlist lists next, unless its rendition knows better.
    ///
    /// An ended playlist says nothing of the time before it, and each rendition ends by its own.
    var holeReason: GapReason? { outage == .sourceEnded ? nil : outage }

    mutating func renditionsOpened() {
        (failures, ended) = ([:], [])
    }

    /// The source does not deliver; true when that is new.
    mutating func sourceFailed(_ reason: GapReason, _ detail: String) -> Bool {
        self.detail = detail
        guard outage == nil else { return false }
        outage = reason
        return true
    }

    /// A playlist has arrived; true when the source had failed before and now delivers again.
    ///
    /// The source as a whole delivers when one of its `leading` renditions does, and has ended when all of
    /// them have.
    mutating func delivered(
        _ id: RenditionID, ended isEnded: Bool, _ leading: [RenditionID], dateRejection: String?,
    ) -> Bool {
        if isEnded { ended.insert(id) } else { ended.remove(id) }
        guard leading.contains(id) else { return false }
        if leading.allSatisfy(ended.contains) {
            (outage, detail) = (.sourceEnded, "the source has ended its playlist")
        }
        guard !isEnded else { return false }
        let recovers = outage != nil
        (outage, detail) = (nil, dateRejection)
        return recovers
    }

    /// True when the rendition was healthy before.
    mutating func renditionFailed(_ id: RenditionID, _ detail: String) -> Bool {
        failures.updateValue(detail, forKey: id) == nil
    }

    /// True when the rendition had failed before.
    mutating func renditionRecovered(_ id: RenditionID) -> Bool {
        failures.removeValue(forKey: id) != nil
    }

    mutating func segmentStored(now: SteadyInstant, entersCatalogue: Bool = true) {
        lastStored = now
        if entersCatalogue { (refusal, failing) = (nil, nil) }
        if isDiskFull { failing = nil }
    }

    /// A try for a segment failed.
    mutating func segmentFailed(_ reason: GapReason) {
        failing = reason
    }

    /// Why nothing comes at the moment; nil while segments come.
    var gapReason: GapReason? { outage ?? failing }

    /// The last try for a segment found no room for it.
    private var isDiskFull: Bool { failing == .diskFull }

    /// Newest segments do not come; true when it is another reason than before.
    mutating func segmentsRefused(_ reason: String) -> Bool {
        defer { refusal = reason }
        return refusal != reason
    }

    /// What is wrong, in words; nil when nothing is.
    func message(keyPendingCount: Int) -> String? {
        if outage == nil, isDiskFull { return "the disk is full: segments are not stored" }
        if let detail { return detail }
        if let failing = failures.min(by: { $0.key < $1.key }) { return "\(failing.key): \(failing.value)" }
        return keyPendingCount == 0 ? refusal : "\(keyPendingCount) segments wait for their keys"
    }

    func state(target: Duration, now: SteadyInstant) -> ChannelStatus.State {
        guard lastStored != nil || hasPast else { return .waiting }
        if outage == .sourceEnded { return .ended }
        return now >= stallsAt(target: target) ? .stalled : .recording
    }

    /// When a channel that stores nothing more counts as stalled.
    func stallsAt(target: Duration) -> SteadyInstant {
        (lastStored ?? startedAt.steady) + target + target + target
    }
}
