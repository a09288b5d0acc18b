/* Where each key would stand in a sorted table: the number of entries that are smaller. */
void binary_search(int keys, int entries, const float key[restrict keys], const float table[restrict entries],
                   int place[restrict keys])
{
    for (int i = 0; i < keys; ++i) {
        int low = 0, high = entries;
        while (low < high) {
            int middle = low + (high - low) / 2;
            if (table[middle] < key[i])
                low = middle + 1;
            else
                high = middle;
        }
        place[i] = low;
    }
}
