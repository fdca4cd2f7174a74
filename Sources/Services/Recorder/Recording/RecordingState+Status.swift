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
        Self.say(state, as: &lastStatus.state, &isChanged)
        Self.say(liveEdge, as: &lastStatus.liveEdge, &isChanged)
        Self.say(words(now: now), as: &lastStatus.detail, &isChanged)
        Self.say(progress.sourceURL, as: &lastStatus.sourceURL, &isChanged)
        Self.say(progress.source?.priority, as: &lastStatus.sourcePriority, &isChanged)
        Self.say(
            progress.source?.allowInvalidCertificate ?? false, as: &lastStatus.acceptsInvalidCertificate,
            &isChanged)
        Self.say(progress.clock.rawValue, as: &lastStatus.clock, &isChanged)
        Self.say(
            progress.clockOffset.map { Microseconds.seconds($0) }, as: &lastStatus.clockOffsetSeconds,
            &isChanged
        )
        Self.say(progress.zone / Microseconds.perSecond, as: &lastStatus.zoneCorrectionSeconds, &isChanged)
        Self.say(Microseconds.seconds(clock.stepSize), as: &lastStatus.clockStepSeconds, &isChanged)
        Self.say(Microseconds.seconds(progress.drift), as: &lastStatus.driftSeconds, &isChanged)
        Self.say(sourceChangeCount, as: &lastStatus.sourceChanges, &isChanged)
        Self.say(deviations, as: &lastStatus.deviations, &isChanged)
        Self.say(condition.gapReason, as: &lastStatus.gapReason, &isChanged)
        if !says(lastStatus.renditions) {
            lastStatus.renditions = progress.renditions.values.map(\.status)
            isChanged = true
        }
        guard isChanged else { return }
        hasPublishedStatus = true
        perform(.publishStatus(lastStatus))
    }

    private static func say<Part: Equatable>(
        _ value: Part, as part: inout Part, _ isChanged: inout Bool,
    ) {
        if value == part { return }
        (part, isChanged) = (value, true)
    }

    /// Whether these are the statuses of the renditions now.
    private func says(_ renditions: [RenditionStatus]) -> Bool {
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
    private func words(now: SteadyInstant) -> String? {
        if let lead = leadOfTimeline(now: now) {
            return "the timeline lies \(lead / Microseconds.perSecond) s ahead of the clock; "
                + "POST /api/v1/channels/\(channel.id)/reanchor lets it continue now"
        }
        return condition.words(keyPendingCount: publication.keyPendingLines.count)
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
