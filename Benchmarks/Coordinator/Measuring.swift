import Glibc

/// Nanoseconds that this thread has used.
func threadTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Right-aligned columns of these widths.
func columns(_ cells: [(text: String, width: Int)]) -> String {
    cells.map { String(repeating: " ", count: max(0, $0.width - $0.text.count)) + $0.text }.joined()
}

/// With two decimals.
func hundredths(_ value: Double) -> String {
    let whole = Int((value * 100).rounded())
    return "\(whole / 100)." + (whole % 100 < 10 ? "0" : "") + "\(whole % 100)"
}
