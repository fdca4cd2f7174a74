import Catalogue
import Concurrency
import HTTP
import Logging
import Timeline

/// What is said of the channel.
extension ChannelRecorder {
    /// The source does not deliver; `nil` reason: it is just another remark.
    func inTrouble(_ reason: GapReason, _ detail: String) {
        if trouble == nil {
            trouble = (reason, now)
            logger.warning("The source does not deliver", metadata: ["cause": "\(detail)"])
        }
        status.detail = detail
        publishStatus()
    }

    func settleTrouble(ended: Bool) {
        if ended {
            trouble = (.sourceEnded, trouble?.since ?? now)
            status.detail = "the source has ended its playlist"
        } else if trouble != nil {
            trouble = nil
            status.detail = nil
            logger.info("The source delivers again")
        }
        if !ended, status.detail == nil, let distrust = renditions.values.compactMap(\.placing.distrust).first
        {
            status.detail = distrust
        }
        publishStatus()
    }

    func publishStatus() {
        status.renditions = renditions.values.map(\.status).sorted { $0.id < $1.id }
        status.state = state
        var said = status
        said.detail = status.detail ?? ailment ?? refusal
        parts.board.set(said, of: channel.id)
    }

    /// What is wrong although the source as a whole delivers.
    private var ailment: String? {
        if let ailing = ailments.min(by: { $0.key < $1.key }) { return "\(ailing.key): \(ailing.value)" }
        let waiting = keyPendings.lines.count
        return waiting == 0 ? nil : "\(waiting) segments wait for their keys"
    }

    private var state: ChannelStatus.State {
        guard lastStored != nil || lease.publishedHead.end.microseconds > 0 else { return .waiting }
        if trouble?.reason == .sourceEnded { return .ended }
        return parts.clock.steady() - (lastStored ?? began) > publisher.target * 3 ? .stalled : .recording
    }

    /// Looks whether time alone has changed the state.
    func refreshStatus() {
        publishStatus()
    }

    /// A URL without user info and query: those may be secrets.
    static func redacted(_ text: String) -> String {
        (try? HTTPURL(text))?.description ?? "a URL that cannot be read"
    }
}
