/// Runs a body on a thread of the task's executor, never on the thread that calls.
///
/// `Task.yield()` does not promise that: the task goes on where it is when another thread takes up the
/// continuation before it waits, which happens on a busy machine. A child task always begins elsewhere. It
/// inherits priority, executor and cancellation.
package func onAnotherThread<Value: Sendable, Failure>(
    _ body: @Sendable () async throws(Failure) -> Value,
) async throws(Failure) -> Value {
    async let result = Result(of: body)
    return try await result.get()
}
