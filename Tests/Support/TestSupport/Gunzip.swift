import Processes

/// Decompresses with the program `gzip`, which shares no code with ours.
package func gunzip(_ bytes: [UInt8]) async throws -> [UInt8] {
    let program = try await ChildProgram.start(
        "gzip", ["-dc"], bounds: ProgramBounds(cpuSeconds: 60, memoryBytes: 1 << 30))
    async let written: Void = {
        try await program.write(bytes)
        await program.finish()
    }()
    var plain: [UInt8] = []
    while let piece = try await program.read(limit: 64 * 1024) { plain += piece }
    try await written
    return plain
}
