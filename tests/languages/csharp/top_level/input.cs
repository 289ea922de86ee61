using System;

Console.WriteLine(Add(1, 2));

// Adds.
static int Add(int a, int b)
{
    return a + b;
}

class Program { }
