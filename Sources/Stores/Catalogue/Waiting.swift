/// Waiting for what may hang: a database that stands still answers neither a question nor the wish that it end.
extension Task where Failure == Never {
    /// The value if it comes within some time, else nil; the task goes on in either case.
    ///
    /// A task group would not do: it returns when its last child has ended, and a child that hangs does not.
    package func value(within limit: Duration) async -> Success? {
        let (answers, answer) = AsyncStream<Success?>.makeStream(bufferingPolicy: .bufferingOldest(1))
        Task<Void, Never> { answer.yield(await value) }
        let timer = Task<Void, Never> {
            try? await Task<Never, Never>.sleep(for: limit)
            answer.yield(nil)
        }
        defer { timer.cancel() }
        var first = answers.makeAsyncIterator()
        return await first.next() ?? nil
    }
}
