/// The quarters that a transaction has changed, by channel.
struct TouchedQuarters {
    private var byChannel: [Int32: Set<Quarter>] = [:]
    /// Those whose summaries do not have the change yet.
    private(set) var toSummarise: Set<Quarter> = []

    subscript(channel: Int32) -> Set<Quarter> { byChannel[channel] ?? [] }

    /// Those of all channels.
    var all: Set<Quarter> { byChannel.values.reduce(into: []) { $0.formUnion($1) } }

    mutating func add(_ quarter: Quarter, of channel: Int32, isSummarised: Bool) {
        byChannel[channel, default: []].insert(quarter)
        if !isSummarised { toSummarise.insert(quarter) }
    }

    mutating func formUnion(_ other: TouchedQuarters) {
        byChannel.merge(other.byChannel) { $0.union($1) }
        toSummarise.formUnion(other.toSummarise)
    }
}
