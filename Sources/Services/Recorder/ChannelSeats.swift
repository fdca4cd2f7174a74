/// Who works on which channel: one task each, which ends and is replaced when the channel changes.
///
/// A task that takes long to end holds its successor only, never another channel.
struct ChannelSeats {
    private struct Seat {
        var version: Int64
        var task: Task<Void, Never>
    }

    private var seats: [Int32: Seat] = [:]

    /// Sees to it that a channel's work is that of its present version; returns at once.
    mutating func settle(_ channel: Int32, version: Int64, _ work: @escaping @Sendable () async -> Void) {
        let former = seats[channel]
        guard former?.version != version else { return }
        former?.task.cancel()
        seats[channel] = Seat(
            version: version,
            task: Task {
                await former?.task.value
                if !Task.isCancelled { await work() }
            })
    }

    /// Ends all work at once and waits for its end.
    mutating func stop() async {
        let tasks = seats.values.map(\.task)
        seats = [:]
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
