import HTTP

// Callbacks that read and release bodies; each context was retained in `ResponseBodies.swift`.

func releaseBytes(_ context: UnsafeMutableRawPointer?) {
    if let context = unsafe context { unsafe Unmanaged<SharedBytes>.fromOpaque(context).release() }
}

func releasePieces(_ context: UnsafeMutableRawPointer?) {
    if let context = unsafe context { unsafe Unmanaged<PieceReader>.fromOpaque(context).release() }
}

func releaseStream(_ context: UnsafeMutableRawPointer?) {
    if let context = unsafe context { unsafe Unmanaged<StreamBody>.fromOpaque(context).release() }
}

func readPieces(
    _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ target: UnsafeMutablePointer<CChar>?,
    _ limit: Int,
) -> Int {
    guard let context = unsafe context else { return readerFailed }
    let reader = unsafe Unmanaged<PieceReader>.fromOpaque(context).takeUnretainedValue()
    let count = unsafe reader.read(
        at: Int(position), into: UnsafeMutableRawBufferPointer(start: target, count: limit))
    return count == 0 ? readerFailed : count
}

func readStream(
    _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ target: UnsafeMutablePointer<CChar>?,
    _ limit: Int,
) -> Int {
    guard let context = unsafe context else { return readerFailed }
    let stream = unsafe Unmanaged<StreamBody>.fromOpaque(context).takeUnretainedValue()
    return unsafe stream.read(into: UnsafeMutableRawBufferPointer(start: target, count: limit))
}

/// The reader of an answer without a body; the library never calls it.
func readNothing(
    _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ target: UnsafeMutablePointer<CChar>?,
    _ limit: Int,
) -> Int {
    readerFailed
}

/// The return value that makes the library close the connection.
private let readerFailed = -2
