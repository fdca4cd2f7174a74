import Catalogue
import Concurrency
import Logging
import Monitoring
import Timeline

/// What is said of the channel.
extension RecordingState {
    mutating func publishStatus(now: SteadyInstant) {
        var said = ChannelStatus(
            state: condition.state(target: publication.publisher.target, now: now), since: since)
        said.liveEdge = liveEdge
        said.detail = words(now: now)
        if let source = progress.source {
            said.sourceURL = progress.sourceURL
            said.sourcePriority = source.priority
            said.acceptsInvalidCertificate = source.allowInvalidCertificate
        }
        said.clock = progress.clock.rawValue
        said.clockOffsetSeconds = progress.clockOffset.map { Microseconds.seconds($0) }
        said.zoneCorrectionSeconds = progress.zone / Microseconds.perSecond
        said.clockStepSeconds = Microseconds.seconds(clock.stepSize)
        said.driftSeconds = Microseconds.seconds(progress.drift)
        said.sourceChanges = sourceChangeCount
        said.deviations = deviations
        said.gapReason = condition.gapReason
        said.renditions = renditionStatuses
        guard said != status else { return }
        status = said
        perform(.publishStatus(said))
    }

    /// What is said of the renditions: as most events change none of it, mostly what was said last.
    private var renditionStatuses: [RenditionStatus] {
        let (last, known) = (status?.renditions ?? [], progress.renditions.values)
        let isSame = last.count == known.count && last.indices.allSatisfy { last[$0] == known[$0].status }
        return isSame ? last : known.indices.map { known[$0].status }
    }

    /// What is wrong with the channel; nil when nothing is.
    private func words(now: SteadyInstant) -> String? {
        if let lead = leadOfTimeline(now: now) {
            return "the time line lies \(lead / Microseconds.perSecond) s ahead of the clock; "
                + "POST /api/v1/channels/\(channel.id)/reanchor lets it go on at now"
        }
        return condition.words(keyPendingCount: publication.keyPendingLines.count)
    }

    /// Nil before anything is published.
    static func liveEdge(_ watermark: Instant) -> Instant? {
        watermark.microseconds > 0 ? watermark : nil
    }

    /// Says once when dates begin to be corrected, when the correction changes, and when it ends.
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
