extension Task where Failure == Never {
    /// The value if it comes within a time, else nil; the task goes on in either case.
    ///
    /// For tasks that may not notice that they are cancelled: a hung database connection reacts neither to a
    /// query nor to its cancellation. A task group would not do, since it returns only when its last child
    /// has ended.
    package func value(within limit: Duration, by clock: HostClock) async -> Success? {
        let (answers, answer) = AsyncStream<Success?>.makeStream(bufferingPolicy: .bufferingOldest(1))
        Task<Void, Never> { answer.yield(await value) }
        let timer = Task<Void, Never> {
            try? await clock.sleep(for: limit)
            answer.yield(nil)
        }
        defer { timer.cancel() }
        var first = answers.makeAsyncIterator()
        return await first.next() ?? nil
    }
}
