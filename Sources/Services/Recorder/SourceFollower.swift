import Catalogue
import Concurrency
import HTTPClient
import Logging
import Timeline

/// Records a channel from the best of its sources that delivers.
struct SourceFollower: Sendable {
    /// Why a source is in use no longer.
    private enum Step: Sendable {
        case ended(RenditionRecorder.Ending)
        case failed
        case takenBack(SourceSettings)
    }

    let recorder: ChannelRecorder
    let fetching: ChannelFetching

    private var parts: RecorderParts { recorder.parts }

    /// Goes to the next source when one brings nothing, around again after the last, and back to a preferred one as soon
    /// as that delivers; until cancelled.
    func run() async {
        var order = SourceOrder(recorder.channel.settings.sources)
        while !Task.isCancelled, let source = order.current {
            await recorder.use(source)
            switch await follow(source, order) {
            case .ended(.cancelled): return
            case .ended(.needsReload(let reason)):
                recorder.logger.info("The source is opened anew", metadata: ["cause": "\(reason)"])
                order.reopened()
            case .ended(.barren): order.leave(now: parts.clock.steady())
            case .failed: order.failed(now: parts.clock.steady())
            case .takenBack(let better):
                order.takeBack(better, now: parts.clock.steady())
                recorder.logger.info("A preferred source delivers again")
                continue
            }
            let pause = PollPace.afterFailure(order.failures, target: 4_000_000)
            try? await Task.sleep(for: .microseconds(PollPace.jittered(pause, chance: parts.chance())))
        }
    }

    /// Records from a source until it ends, or until a preferred one delivers.
    private func follow(_ source: SourceSettings, _ order: SourceOrder) async -> Step {
        let scout = SourceScout(parts: parts, pause: order.scoutPause)
        return await withTaskGroup(of: Step?.self) { group in
            group.addTask { await record(source, hasAlternative: order.sources.count > 1) }
            if !order.preferred.isEmpty {
                group.addTask { await scout.find(among: order.preferred).map { .takenBack($0) } }
            }
            for await step in group {
                guard let step else { continue }
                group.cancelAll()
                return step
            }
            return .ended(.cancelled)
        }
    }

    private func record(_ source: SourceSettings, hasAlternative: Bool) async -> Step {
        do {
            let link = try SourceLink(source, client: parts.client, policy: parts.addressPolicy)
            // The session is not closed here but goes with the last download that uses it: those may still finish.
            return .ended(
                try await SourceRecorder(
                    recorder: recorder, link: link, fetching: fetching, hasAlternative: hasAlternative
                ).run())
        } catch {
            if Task.isCancelled { return .ended(.cancelled) }
            let isUnreachable = (error as? PlaylistFailure)?.isUnreachable ?? true
            await recorder.inTrouble(isUnreachable ? .sourceUnreachable : .sourceStalled, "\(error)")
            return .failed
        }
    }
}
