/// The cropping of a coded picture, in units that depend on the chroma sampling.
struct Crop {
    private var left: UInt32 = 0
    private var right: UInt32 = 0
    private var top: UInt32 = 0
    private var bottom: UInt32 = 0

    init() {}

    /// Reads four ue(v).
    init?(_ reader: inout BitReader) {
        guard let left = reader.unsigned(), let right = reader.unsigned(), let top = reader.unsigned(),
            let bottom = reader.unsigned()
        else { return nil }
        (self.left, self.right, self.top, self.bottom) = (left, right, top, bottom)
    }

    /// Nil when nothing is left, or when a side is longer than 65,535.
    func applied(width: Int, height: Int, _ unitWidth: Int, _ unitHeight: Int) -> Resolution? {
        let shown = Resolution(
            width: width - (Int(left) + Int(right)) * unitWidth,
            height: height - (Int(top) + Int(bottom)) * unitHeight)
        let range = 1...65535
        return range.contains(shown.width) && range.contains(shown.height) ? shown : nil
    }
}
