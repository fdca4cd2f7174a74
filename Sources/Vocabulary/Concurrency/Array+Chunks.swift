extension Array where Element: Sendable {
    /// Passes parts of at most some elements to a body, each in a task of its own if there are several.
    ///
    /// Throws the first error, when all parts have ended; an error does not end the others.
    package func inChunks<Failure: Error>(
        of length: Int, _ body: @escaping @Sendable (ArraySlice<Element>) async throws(Failure) -> Void,
    ) async throws(Failure) {
        guard count > length else { return try await body(self[...]) }
        let failure = await withTaskGroup(of: Failure?.self) { group in
            for first in stride(from: 0, to: count, by: length) {
                let part = self[first..<Swift.min(first + length, count)]
                group.addTask {
                    do throws(Failure) {
                        try await body(part)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(nil) { $0 ?? $1 }
        }
        if let failure { throw failure }
    }
}
