import Glibc

/// libFuzzer calls this with each input; every target has its own `examine`.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    examine(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// Ends the process when something does not hold, so that the fuzzer keeps the input.
func require(_ holds: Bool, _ message: @autoclosure () -> String) {
    guard !holds else { return }
    print("does not hold: \(message())")
    fflush(nil)
    abort()
}
