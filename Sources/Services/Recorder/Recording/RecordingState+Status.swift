import Catalogue
import Concurrency
import Logging
import Monitoring
import Timeline

/// What the status of the channel says.
extension RecordingState {
    mutating func publishStatus(now: SteadyInstant) {
        let state = condition.state(target: publication.publisher.target, now: now)
        // Most events change nothing, so each field is compared in place.
        var isChanged = !hasPublishedStatus
        Self.update(state, in: &lastStatus.state, &isChanged)
        Self.update(liveEdge, in: &lastStatus.liveEdge, &isChanged)
        Self.update(message(now: now), in: &lastStatus.detail, &isChanged)
        Self.update(progress.sourceURL, in: &lastStatus.sourceURL, &isChanged)
        Self.update(progress.source?.priority, in: &lastStatus.sourcePriority, &isChanged)
        Self.update(
            progress.source?.allowInvalidCertificate ?? false, in: &lastStatus.acceptsInvalidCertificate,
            &isChanged)
        Self.update(progress.clock.rawValue, in: &lastStatus.clock, &isChanged)
        Self.update(
            progress.clockOffset.map { Microseconds.seconds($0) }, in: &lastStatus.clockOffsetSeconds,
            &isChanged
        )
        Self.update(progress.zone / Microseconds.perSecond, in: &lastStatus.zoneCorrectionSeconds, &isChanged)
        Self.update(Microseconds.seconds(clock.stepSize), in: &lastStatus.clockStepSeconds, &isChanged)
        Self.update(Microseconds.seconds(progress.drift), in: &lastStatus.driftSeconds, &isChanged)
        Self.update(sourceChangeCount, in: &lastStatus.sourceChanges, &isChanged)
        Self.update(deviations, in: &lastStatus.deviations, &isChanged)
        Self.update(condition.gapReason, in: &lastStatus.gapReason, &isChanged)
        if !matches(lastStatus.renditions) {
            lastStatus.renditions = progress.renditions.values.map(\.status)
            isChanged = true
        }
        guard isChanged else { return }
        hasPublishedStatus = true
        perform(.publishStatus(lastStatus))
    }

    private static func update<Field: Equatable>(
        _ value: Field, in field: inout Field, _ isChanged: inout Bool,
    ) {
        if value == field { return }
        (field, isChanged) = (value, true)
    }

    /// Whether these are the statuses of the renditions now.
    private func matches(_ renditions: [RenditionStatus]) -> Bool {
        let known = progress.renditions.values
        return renditions.count == known.count
            && renditions.indices.allSatisfy { renditions[$0] == known[$0].status }
    }

    /// When time alone makes the channel stall; nil once it has.
    var stall: SteadyInstant? {
        hasPublishedStatus && lastStatus.state == .recording
            ? condition.stallsAt(target: publication.publisher.target) : nil
    }

    /// What is wrong with the channel; nil when nothing is.
    private func message(now: SteadyInstant) -> String? {
        if let lead = leadOfTimeline(now: now) {
            return "the timeline lies \(lead / Microseconds.perSecond) s ahead of the clock; "
                + "POST /api/v1/channels/\(channel.id)/reanchor lets it continue now"
        }
        return condition.message(keyPendingCount: publication.keyPendingLines.count)
    }

    /// Nil before anything is published.
    static func liveEdge(_ watermark: Instant) -> Instant? {
        watermark.microseconds > 0 ? watermark : nil
    }

    /// Logs each start, change and end of the zone correction once.
    mutating func logZone() {
        guard progress.zone != loggedZone else { return }
        loggedZone = progress.zone
        guard loggedZone != 0 else {
            return log(.notice, "The source's dates are not in a wrong time zone any more")
        }
        log(
            .notice, "The source's dates are in a wrong time zone and are corrected",
            ["seconds": "\(loggedZone / Microseconds.perSecond)"])
    }
}
