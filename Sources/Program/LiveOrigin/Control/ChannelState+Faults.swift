/// Putting faults into force.
extension ChannelState {
    /// Times are seconds since 1970.
    mutating func apply(_ fault: Fault, now: Double) {
        switch fault {
        case .hole(let rendition, let hole): change(rendition) { $0.hole = hole.count > 0 ? hole : nil }
        case .gap(let rendition, let count): change(rendition) { $0.gapCount = count }
        case .fail(let rendition, let failing):
            faults.failing[rendition ?? RequestFaults.anyRendition] = failing
        case .truncate(let rendition, let cut):
            faults.truncating[rendition ?? RequestFaults.anyRendition] = cut
        case .late(let rendition, let seconds):
            faults.late[rendition ?? RequestFaults.anyRendition] = .init(seconds: seconds)
        case .stall(let seconds): stalledUntil = now + seconds
        case .restart(let restart): commands.append(.restart(restart))
        case .end(let seconds, let restart): commands.append(.end(until: now + seconds, restart))
        case .slow(let rate, let seconds):
            faults.slowBytesPerSecond = rate
            faults.slowUntil = now + seconds
        case .html(let seconds): faults.htmlUntil = now + seconds
        case .down(let seconds): faults.downUntil = now + seconds
        case .keys(let seconds): faults.keysDownUntil = now + seconds
        case .withdraw(let rendition, var withdrawal):
            withdrawal.seconds += now
            faults.withdrawn[rendition ?? RequestFaults.anyRendition] = withdrawal
        case .dateJump(let seconds): dateOffset += seconds
        case .respell: options.usesAlternateNames.toggle()
        case .clear: clear(now: now)
        }
    }

    /// A channel that has ended continues at once.
    private mutating func clear(now: Double) {
        faults = RequestFaults()
        stalledUntil = now
        end?.until = now
        change(nil) {
            $0.hole = nil
            $0.gapCount = 0
        }
    }

    private mutating func change(_ rendition: String?, _ body: (inout RenditionState) -> Void) {
        for id in renditions.keys where rendition == nil || rendition == id {
            guard var state = renditions[id] else { continue }
            body(&state)
            renditions[id] = state
        }
    }
}
