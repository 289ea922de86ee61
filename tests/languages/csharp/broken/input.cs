namespace Shop
{
    public class Broken
    {
        /// <summary>Kept.</summary>
        public int Before(int a) { return a; }

        public void Half(int b {
            if (b {
                return;

        public int After(string c)
        {
            return 1;
        }
    }

    public class Next
    {
        if (lost) { call(; }
        lock (nothing) { }
        void Ok() { }
    }
}
} }
class Last { }
